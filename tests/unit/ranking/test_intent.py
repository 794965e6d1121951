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
        ("checkout依赖什么？", {R.DEPENDS_ON: OUT}),
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
        "如果checkout变了会影响什么？",
        "checkout挂了会影响哪些服务？",
    ],
)
def test_questions_of_impact_go_against_dependencies_and_along_causes(question: str):
    assert asked_relations(question, question.index("checkout")) == IMPACT
