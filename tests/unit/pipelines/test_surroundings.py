"""What is indexed with a statement besides its speaker."""

from hindsight_graph.pipelines.surroundings import asked_in, surroundings


def test_the_questions_of_a_message_are_found_in_both_languages():
    assert asked_in("I ran today. What got you into running? Tell me!") == "What got you into running?"
    assert asked_in("我今天跑步了。你为什么开始跑步？") == "你为什么开始跑步？"
    assert asked_in("No question here.") == ""


def test_a_reply_is_indexed_with_its_speaker_the_question_before_it_and_its_own_words_left_out():
    assert surroundings("Mel", ["Thanks!"], "Nice. What got you into running?") == "Mel What got you into running? Thanks!"
    assert surroundings(None, [], "") == ""


def test_a_long_question_is_kept_by_its_end():
    assert len(asked_in("why " * 400 + "indeed?")) <= 300
    assert asked_in("why " * 400 + "indeed?").endswith("indeed?")
