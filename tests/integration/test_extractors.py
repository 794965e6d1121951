"""Which extractor an engine reads with, and how its receipt says so."""

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.errors import ConfigError
from hindsight_graph.extraction.rules import RuleExtractor
from hindsight_graph.testing.patience import patient_settings

pytestmark = [pytest.mark.requirement("M-05"), pytest.mark.timeout(120)]
TEXT = "The importer, which Vera maintains, depends on Vault."


def test_the_receipt_names_what_read_the_statements() -> None:
    with HindsightGraph("sqlite:///:memory:", embedder="hashing", extractor="spacy") as memory:
        receipt = memory.remember(TEXT)
        assert [name.split()[0] for name in receipt.extractors] == ["spacy-2"]
        assert memory.status().extractor == receipt.extractors[0]
        assert {(link.source, link.type.value, link.pattern) for link in receipt.memories[0].relations} == {
            ("Vera", "OWNS", "en-dep:maintain"),
            ("importer", "DEPENDS_ON", "en-dep:depend"),
        }
        assert memory.chain("importer").paths[0].nodes == ("importer", "Vault")


def test_ready_made_units_are_read_by_nothing() -> None:
    with HindsightGraph("sqlite:///:memory:", embedder="hashing", extractor="rules") as memory:
        assert memory.remember("Vault is sealed.", kind="fact", entities=["Vault"], relations=[]).extractors == ()


@pytest.mark.parametrize(("extractor", "first"), [("rules", "rules-2"), ("auto", "spacy-2")])
def test_a_setting_chooses_and_auto_is_the_best_installed(extractor: str, first: str) -> None:
    settings = patient_settings(extractor=extractor)
    with HindsightGraph("sqlite:///:memory:", embedder="hashing", settings=settings) as memory:
        assert memory.status().extractor.split()[0] == first


def test_an_extractor_of_ones_own_is_taken() -> None:
    class Mine(RuleExtractor):
        @property
        def name(self) -> str:
            return "mine-1"

    with HindsightGraph("sqlite:///:memory:", embedder="hashing", extractor=Mine()) as memory:
        assert memory.remember(TEXT).extractors == ("mine-1",)


def test_an_unknown_extractor_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="'stanza'"):
        HindsightGraph("sqlite:///:memory:", embedder="hashing", extractor="stanza")
