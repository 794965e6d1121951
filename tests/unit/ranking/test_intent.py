"""Which relations a question asks for."""

import pytest

from hindsight_graph.models.enums import Direction, RelationType
from hindsight_graph.ranking.intent import IMPACT, asked_relations

OUT, IN = Direction.OUT, Direction.IN
R = RelationType


@pytest.mark.requirement("G-04")
@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What does checkout depend on?", {R.DEPENDS_ON: OUT}),
        ("What depends on checkout?", {R.DEPENDS_ON: IN}),
        ("What is checkout needed by?", {R.DEPENDS_ON: IN}),
        ("What is needed by checkout?", {R.DEPENDS_ON: OUT}),
        ("Which dependencies does checkout have?", {R.DEPENDS_ON: OUT}),
        ("checkout is down. Which things behind it should we check?", {R.DEPENDS_ON: OUT}),
        ("Why did checkout fail?", {R.CAUSES: IN}),
        ("What did checkout cause?", {R.CAUSES: OUT}),
        ("What caused checkout to stop?", {R.CAUSES: IN}),
        ("What does checkout use?", {R.USES: OUT}),
        ("Who uses checkout?", {R.USES: IN}),
        ("Who owns checkout?", {R.OWNS: IN}),
        ("What was checkout replaced by?", {R.REPLACES: IN}),
        ("Where is checkout?", {R.LOCATED_IN: OUT}),
        ("What is checkout part of?", {R.PART_OF: OUT}),
        ("Which components of checkout are there?", {R.PART_OF: IN}),
        ("What sits on top of checkout?", {R.DEPENDS_ON: IN}),
        ("What is checkout sitting on top of?", {R.DEPENDS_ON: OUT}),
        ("Which systems support checkout?", {R.DEPENDS_ON: OUT}),
        ("checkout依赖什么？", {R.DEPENDS_ON: OUT}),
        ("checkout建立在哪些东西之上？", {R.DEPENDS_ON: OUT}),
        ("支撑checkout的是哪些系统？", {R.DEPENDS_ON: OUT}),
        ("checkout支撑哪些系统？", {R.DEPENDS_ON: IN}),
        ("checkout靠什么撑着？", {R.DEPENDS_ON: OUT}),
        ("checkout一直超时，问题出在谁身上？", {R.DEPENDS_ON: OUT}),
        ("checkout挂了，根本原因可能在哪里？", {R.CAUSES: IN}),
        ("checkout部署在哪？", {R.LOCATED_IN: OUT}),
        ("什么依赖checkout？", {R.DEPENDS_ON: IN}),
        ("checkout被哪些服务依赖？", {R.DEPENDS_ON: IN}),
        ("为什么checkout失败了？", {R.CAUSES: IN}),
        ("谁负责checkout？", {R.OWNS: IN}),
        ("tell me about checkout", {}),
        ("关于checkout", {}),
    ],
)
def test_the_side_of_the_verb_on_which_the_name_stands_gives_the_direction(question: str, asked: dict[RelationType, Direction]):
    assert asked_relations(question, question.index("checkout")) == asked


@pytest.mark.requirement("G-03")
@pytest.mark.parametrize(
    "question",
    [
        "What breaks if checkout changes?",
        "If checkout goes away, what will fail?",
        "What would happen when checkout is upgraded?",
        "What is the impact of changing checkout?",
        "Who has to be warned? We retire checkout, whom do we tell?",
        "What goes down together with checkout?",
        "Which services would suffer from an outage of checkout?",
        "如果checkout变了会影响什么？",
        "关掉checkout会连累谁？",
        "checkout停机的话哪些地方会出问题？",
        "准备下线checkout，要通知谁？",
        "checkout挂了会影响哪些服务？",
    ],
)
def test_questions_of_impact_go_against_dependencies_and_along_causes(question: str):
    assert asked_relations(question, question.index("checkout")) == IMPACT


@pytest.mark.requirement("G-03")
@pytest.mark.parametrize(
    "question",
    ["If checkout fails, where could the root cause be?", "When did checkout change?", "checkout挂了，该检查哪些地方？"],
)
def test_a_question_of_causes_or_of_a_time_is_none_of_impact(question: str):
    assert asked_relations(question, question.index("checkout")) != IMPACT


@pytest.mark.requirement("G-03")
@pytest.mark.parametrize(
    "question",
    [
        "谁出问题会连累checkout？",
        "哪些东西坏了会拖垮checkout？",
        "Which outages affect checkout?",
        "Whose failure could drag checkout along?",
    ],
)
def test_what_stands_before_the_name_acts_on_it(question: str):
    assert asked_relations(question, question.index("checkout"))[R.DEPENDS_ON] is OUT
