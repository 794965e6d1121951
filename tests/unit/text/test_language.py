"""Languages and sentence ends."""

import pytest

from hindsight_graph.text.language import detect_language, split_sentences


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The gateway was restarted twice.", "en"),
        ("网关重启了两次。", "zh"),
        ("Redis集群的master节点重启了", "zh"),
        ("閘道重新啟動了兩次。", "zh"),
        ("We moved to Kafka yesterday. 消息队列已经切换完成。", "mixed"),
        ("ゲートウェイを再起動しました。", "other"),
        ("Шлюз перезапущен дважды.", "other"),
        ("تمت إعادة تشغيل البوابة", "other"),
        ("El servidor de la oficina no está en la red", "other"),
        ("8080", "other"),
        ("", "other"),
        ("ECONNREFUSED", "en"),
    ],
)
def test_a_text_is_in_the_language_of_its_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It runs v1.2.3. It is fast.", ["It runs v1.2.3.", "It is fast."]),
        ("Use a broker, e.g. NATS, for that. Then test it.", ["Use a broker, e.g. NATS, for that.", "Then test it."]),
        ("Edit settings.toml first. Restart.", ["Edit settings.toml first.", "Restart."]),
        ("See https://example.org/a.b?c=d. It helps!", ["See https://example.org/a.b?c=d.", "It helps!"]),
        ("It costs 3.5 euros. Really? Yes!", ["It costs 3.5 euros.", "Really?", "Yes!"]),
        ("Dr. Kim met J. Ortiz. They agreed.", ["Dr. Kim met J. Ortiz.", "They agreed."]),
        ("Call `a.b. c()` now. Done.", ["Call `a.b. c()` now.", "Done."]),
        ("1. Stop it. 2. Start it.", ["1. Stop it.", "2. Start it."]),
        ("Wait... there is more. Fine.", ["Wait... there is more.", "Fine."]),
        ("网关版本是 3.2。端口没变！对吗？对。", ["网关版本是 3.2。", "端口没变！", "对吗？", "对。"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("one\n\ntwo", ["one", "two"]),
        ("We left at 5 p.m. Everyone was tired.", ["We left at 5 p.m.", "Everyone was tired."]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_spans_cover_everything_but_white_space() -> None:
    text = "  One. Two!  三。四？\n\n five"
    covered = "".join(sentences(text))
    assert covered.replace(" ", "") == text.replace(" ", "").replace("\n", "")
