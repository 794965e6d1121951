"""The English relation patterns, one table per form. `@` marks a verb lemma, `|` alternatives, `?` an optional word."""

from functools import cache
from typing import Literal, NamedTuple

from hindsight_graph.extraction.grammar_en import forms
from hindsight_graph.models.enums import RelationType as R

Form = Literal["verb", "noun"]
Needs = Literal["", "agent", "thing", "denial"]


class Pattern(NamedTuple):
    """Words between two noun phrases that state a relation.

    Attributes:
        type: The relation. first: forms of the first word. rest: alternatives of each further word, "" when optional.
        reverse: The right phrase is the source: "X was caused by Y".
        form: A `noun` pattern ("the owner of") needs a form of "be" before it, or stands before one.
        needs: `agent` when only persons and teams can be its subject, `thing` when persons cannot,
            `denial` when it counts only if it is denied: "does not start without".
    """

    type: R
    first: frozenset[str]
    rest: tuple[frozenset[str], ...]
    reverse: bool = False
    form: Form = "verb"
    needs: Needs = ""


_VERBS: tuple[tuple[R, Needs, str], ...] = (
    (
        R.DEPENDS_ON,
        "",
        (
            "@depend on|upon; @rely on|upon; @hinge on|upon; @require; @need; counts|count on; dependent on|upon; reliant "
            "on|upon; contingent on|upon; impossible without; useless without; nothing without"
        ),
    ),
    (
        R.DEPENDS_ON,
        "",
        (
            "can't|cannot|can’t @run:b|@work:b|@start:b|@function|@operate:b|@boot|@exist|@live:b|@go:b|@build:b|@deploy:b|"
            "@do:b|@load:b without; @build:p on|upon|atop top? of?; based on|upon; @power:p by; @back:p by; "
            "@underpin:p by; layered on top? of?; unable to @run:b|@work:b|@start:b|@function without"
        ),
    ),
    (
        R.DEPENDS_ON,
        "",
        (
            "has|have|had a? hard|strong|strict|direct|runtime|single? dependency on|upon; fails|fail|failed|breaks|break|"
            "crashes|stops without"
        ),
    ),
    (
        R.DEPENDS_ON,
        "denial",
        "@run:v|@work:v|@start:v|@function|@operate:v|@boot|@exist|@go:v|@build:v|@deploy:v|@load:v|@compile:v without",
    ),
    (
        R.CAUSES,
        "thing",
        (
            "@cause; @lead to; @result:v in; @trigger; @provoke; @induce; @bring about; @introduce; gives|give|gave rise "
            "to; @contribute to; @crash; @crush; @kill; @degrade; @corrupt; @break; @spark; takes|took down; brings|"
            "brought down"
        ),
    ),
    (
        R.FIXES,
        "",
        (
            "@fix; @resolve; @solve; @repair; @remedy; @patch; @correct; @cure; @mitigate; @eliminate; @address; gets|got "
            "rid of; clears|cleared up?"
        ),
    ),
    (
        R.USES,
        "",
        (
            "@use; @utilise; @utilize; @employ; @adopt; @leverage; @talk to; @connect to; @communicate with; makes|make|"
            "made use of; @subscribe to; @integrate with; @fetch from; @read from; @delegate to; @consume; @query; "
            "@invoke; @import; @reuse; "
            "chose; picked; opted for; standardised|standardized on; settled on; went with; @authenticate with|through|"
            "via|against"
        ),
    ),
    (R.USES, "thing", "@call"),
    (R.USES, "", "@write:p in; @implement:p in|with; coded in; programmed in; @build:p with|using; @develop:p in|with|using"),
    (R.PREFERS, "", "@prefer; @like; @love; @enjoy; @favor; @favour; @adore; fond of; partial to; rather use"),
    (
        R.AVOIDS,
        "",
        (
            "@avoid; @dislike; @hate; @skip; @ban; @forbid; @prohibit; stop|stops|stopped|quit|quits using; refuse|refuses|"
            "refused to use; away from; abandoned; dropped support? for?; @detest; steer|steers clear of; ditched; "
            "allergic to"
        ),
    ),
    (
        R.REPLACES,
        "",
        (
            "@replace; @supersede; takes|took|taking over from; taking|takes|took the place of; displaced; displaces; "
            "succeeds; obsoletes"
        ),
    ),
    (R.PART_OF, "", "@belong to; bundled with; included in; contained in; embedded in; works|working|worked for; part of"),
    (
        R.PRODUCES,
        "thing",
        (
            "@generate; @emit; @publish; @produce; @output; @export; @yield; @write; @create; @print; @dump; @render; "
            "spits out; puts out"
        ),
    ),
    (
        R.PRECEDES,
        "",
        (
            "@precede; runs|run|ran|happens|happen|happened|comes|come|came|starts|start|started|goes|executes|executed|"
            "completes|finishes|finish|finished|occurs|occurred|occur|done|completed|performed|scheduled|launched before|"
            "ahead of?; followed by"
        ),
    ),
    (R.OWNS, "", "@own; responsible for; in charge of; accountable for; looks|look|looked after; takes|take|took care of"),
    (
        R.OWNS,
        "agent",
        "@maintain; @manage; @lead; @supervise; @oversee; @administer; @run; @curate; @head; @coordinate; @operate",
    ),
    (
        R.LOCATED_IN,
        "",
        (
            "@live in|on|under|inside|at; @reside in|on|at|under; @sit in|on|inside|under; @host:p in|on|at|inside; "
            "@deploy:p to|in|on|into|onto|at; @locate:p in|at|on|under; @store:p in|on|under|at|inside; @run in|on|inside; "
            "@work in|at; "
            "based in|at; situated in|at; found in|at|under; kept in|under|on; placed in; installed on|in; mounted on|at; "
            "saved in|to|under; moved to; relocated to; housed in|at"
        ),
    ),
    (R.DEPENDS_ON, "", "@sit|@run|@live on top of; is|are|was|were fed by"),
    (R.FIXES, "", "gets|get|got|getting rid of"),
    (R.REPLACES, "", "taken|take over from"),
    (R.OWNS, "", "took|takes|taken|taking|take|has|have|had|assumed ownership|responsibility|charge of|for"),
    (R.OWNS, "agent", "took|takes|taken|taking|take over; handles|handle|handled"),
    (
        R.PREFERS,
        "",
        (
            "rather @use:b|@run:b|@have:b|@take:b|@choose:b; rather @work:b|@go:b|@stick:b|@deal:b|@write:b|@develop:b|"
            "@stay:b with|in"
        ),
    ),
    (
        R.PRECEDES,
        "",
        (
            "deployed|installed|built|applied|created|restarted|loaded|merged|released|tested|finish|finishes|finished|"
            "pass|passes|complete before|ahead of?"
        ),
    ),
    (R.DEPENDS_ON, "", "chokes|choke|struggles|struggle|stalls|stall|halts|halt without; is|are|was|were tied|bound to"),
    (
        R.CAUSES,
        "thing",
        (
            "@damage; @wipe out?; @ruin; @destroy; @overload; @overwhelm; @disrupt; @exhaust; @flood; @stall; @halt; "
            "@paralyse; @paralyze; @interrupt; @worsen; @aggravate; @delay; @prompt; @force; "
            "@slow down; @shut down; knocks|knocked|knock out|over; sets|set off; to blame for; ends|ended|end in|up in?; "
            "culminates|culminated in; translates|translated into; @fuel; @hurt; accounts|account for"
        ),
    ),
    (
        R.FIXES,
        "",
        (
            "@heal; @mend; @rectify; @settle; @unblock; puts|put an end to; sorts|sorted|sort out; irons|ironed|iron out; "
            "puts|put right; helps|helped against; @alleviate; @ease; @remove; @plug"
        ),
    ),
    (
        R.USES,
        "",
        (
            "@exploit; @apply; takes|take|took advantage of; draws|draw|drew on; makes|make|made calls to; sends|send|sent "
            "requests to; pulls|pull|pulled from; speaks|speak|spoke; works|work with; "
            "goes|go|went through; integrated with; comes|come equipped with; equipped with"
        ),
    ),
    (
        R.AVOIDS,
        "",
        (
            "keep|keeps|kept|stay|stays|stayed|steer|steers|steered|moved|moving|move|shy|shies away from; keep|keeps|stay|"
            "stays|stayed clear of; refrain|refrains|refrained from using?; decided against; "
            "opted|opt out of; ruled|rules|rule out; gave|give|gives|given|giving up on?; does|do without; turned|turns|"
            "turn down; swore|swears off; can't|cannot|can’t stand; @distrust; @reject"
        ),
    ),
    (
        R.PREFERS,
        "",
        (
            "leans|lean|leaned|leaning towards|toward; has|have|had a preference for; keen on; sticks|stick|stuck with|to; "
            "swears|swear by; reaches|reach for; goes|go for; @choose; picks; opts for; @value; at home in|with"
        ),
    ),
    (
        R.REPLACES,
        "",
        (
            "@succeed; @supplant; @oust; @obsolete; made|makes|make obsolete; steps|stepped|step in for; takes|took|taken "
            "the role of"
        ),
    ),
    (
        R.PART_OF,
        "",
        (
            "@join; makes|make|made up; forms|form|formed part of; falls|fall|fell under|within; built into; shipped|"
            "delivered|packaged as part of"
        ),
    ),
    (
        R.PRODUCES,
        "thing",
        (
            "turns|turn|turned|churns|churn|churned|pumps|pump|puts|put|gives|give|sends|send out|off; leaves|leave|left "
            "behind; @manufacture; @brew; @deliver; @issue; @craft; @throw; @record; @build; @return; compiles|compile to|"
            "into; "
            "@release; @grow"
        ),
    ),
    (R.PRECEDES, "", "takes|take|took place before|ahead|prior of|to?; goes|go before; leads|lead into"),
    (R.OWNS, "", "@possess; heads|head|headed up; keeps|keep an eye on; on call for; has|have|had under control"),
    (
        R.LOCATED_IN,
        "",
        (
            "@stand in|on|at|near; @lie in|on|at|near; found in|at|on; kept in|on|at; parked in|at|on; headquartered in|"
            "at; stationed in|at; operates|operate|operated from|out of?; works|work out of; studies|study|studied in|at; "
            "@stay in|at|on; settled in; held in|at; placed on|in|at"
        ),
    ),
    (R.AVOIDS, "denial", "@eat; @drink; @touch; @wear; @buy; @watch; @trust; @choose"),
)
_REVERSED: tuple[tuple[R, Needs, str], ...] = (
    (
        R.DEPENDS_ON,
        "",
        (
            "required by; needed by; relied on|upon by; depended on|upon by; essential for|to; vital for|to; crucial for|"
            "to; indispensable for|to"
        ),
    ),
    (
        R.CAUSES,
        "",
        (
            "caused by; triggered by; due to; because of; provoked by; induced by; brought about by; stems|stem|stemmed|"
            "stemming from; results|resulted|resulting from; arises|arose|arising from; originates|originated from; down "
            "to; "
            "attributable to; attributed to; introduced by; owing to; killed by; crashed by; broken by; corrupted by; "
            "thanks to; blamed on; traced back? to"
        ),
    ),
    (
        R.FIXES,
        "",
        (
            "fixed by|with; resolved by|with; solved by|with; repaired by|with; remedied by|with; patched by|with|in; "
            "corrected by|with; cured by; mitigated by|with; addressed by|with|in; eliminated by; cleared by"
        ),
    ),
    (
        R.USES,
        "",
        (
            "used by; called by; invoked by; consumed by; queried by; adopted by; leveraged by; utilised by; utilized by; "
            "imported by; in use by"
        ),
    ),
    (R.PREFERS, "", "preferred by; favored by; favoured by; liked by; loved by"),
    (R.AVOIDS, "", "avoided by; banned by; forbidden by; prohibited by"),
    (R.REPLACES, "", "replaced by|with; superseded by; succeeded by; displaced by; obsoleted by; gave way to"),
    (
        R.PART_OF,
        "",
        "@contain; @include; @comprise; consists|consist|consisted of; composed of; comprised of; made up of; @bundle; @embed",
    ),
    (
        R.PRODUCES,
        "",
        (
            "generated by; emitted by; published by; produced by; output by; exported by; written by; created by; printed "
            "by; dumped by; rendered by"
        ),
    ),
    (
        R.PRECEDES,
        "thing",
        (
            "@follow; preceded by; runs|run|ran|happens|happen|happened|comes|come|came|starts|start|started|goes|executes|"
            "executed|occurs|occurred|occur|done|performed|scheduled|launched|completes after"
        ),
    ),
    (
        R.OWNS,
        "",
        (
            "owned by; maintained by; managed by; led by; supervised by; overseen by; run by; administered by; looked "
            "after by; headed by; operated by"
        ),
    ),
    (R.DEPENDS_ON, "", "required for; needed for; necessary for"),
    (R.LOCATED_IN, "thing", "@host; @house"),
    (
        R.PRECEDES,
        "thing",
        "deployed|installed|built|applied|created|restarted|loaded|merged|released|tested|begins|begin|began after",
    ),
    (R.CAUSES, "", "born of|from; down to"),
    (R.REPLACES, "", "made|makes|make way for; supplanted by; ousted by; gives|give|given way to"),
    (
        R.PART_OF,
        "",
        (
            "@incorporate; @encompass; @feature; ships|ship|shipped|comes|come|came with; split|splits|divided|organised|"
            "organized into; broken into; has|have|had built in"
        ),
    ),
    (R.PRECEDES, "thing", "takes|take|took place after; comes|come|came right|directly|immediately? after"),
    (R.OWNS, "", "in the hands of; under the control|responsibility of; overseen by; looked after by"),
    (R.FIXES, "", "healed by; sorted out by|with; gone after|since|thanks to?; worked around by|with"),
)
_NOUNS: tuple[tuple[R, bool, str], ...] = (
    (R.DEPENDS_ON, True, "dependency|prerequisite|requirement of|for"),
    (R.CAUSES, False, "behind"),
    (R.CAUSES, False, "cause|reason|culprit|trigger for|of|behind"),
    (R.CAUSES, True, "consequence|result|symptom|effect|fault of"),
    (R.FIXES, False, "fix|solution|workaround|remedy|cure for|to"),
    (R.PREFERS, False, "fan of"),
    (R.REPLACES, False, "successor|replacement|substitute of|to|for"),
    (
        R.PART_OF,
        False,
        (
            "part|component|module|piece|subsystem|submodule|plugin|member|subset|division|section|feature|layer|element|"
            "step|stage|package of"
        ),
    ),
    (R.OWNS, False, "owner|maintainer|lead|head|manager|steward|leader|admin|administrator of"),
    (R.OWNS, True, "responsibility of"),
)


def _words(spec: str) -> frozenset[str]:
    out: set[str] = set()
    for alternative in spec.split("|"):
        if not alternative.startswith("@"):
            out.add(alternative)
            continue
        lemma, _, which = alternative[1:].partition(":")
        base, third, ing, past, participle = forms(lemma)
        out |= {"p": {participle}, "b": {base}, "v": {third, ing, past, base}, "": {base, third, ing, past, participle}}[which]
    return frozenset(out)


def _compile(relation: R, specs: str, *, reverse: bool = False, form: Form = "verb", needs: Needs = "") -> list[Pattern]:
    patterns: list[Pattern] = []
    for spec in specs.split("; "):
        sets = [_words(part.rstrip("?")) | ({""} if part.endswith("?") else frozenset[str]()) for part in spec.split(" ")]
        patterns.append(Pattern(relation, sets[0], tuple(sets[1:]), reverse, form, needs))
    return patterns


@cache
def patterns_by_word() -> dict[str, tuple[Pattern, ...]]:
    """Return, for each first word, the patterns that it may open, longest first; built at the first call."""
    patterns: list[Pattern] = []
    for relation, needs, specs in _VERBS:
        patterns += _compile(relation, specs, needs=needs)
    for relation, needs, specs in _REVERSED:
        patterns += _compile(relation, specs, needs=needs, reverse=True)
    for relation, reverse, specs in _NOUNS:
        patterns += _compile(relation, specs, reverse=reverse, form="noun")
    index: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        for word in pattern.first:
            index.setdefault(word, []).append(pattern)
    return {word: tuple(sorted(found, key=lambda pattern: -len(pattern.rest))) for word, found in index.items()}
