"""English closed classes and verb forms: what bounds a noun phrase."""

DETERMINERS = frozenset(
    "the a an this that these those my our your his her its their some any each every both all no another such".split()
)
PRONOUNS = frozenset(
    "i we you he she it they me us him them myself ourselves this that these those one someone somebody everyone "
    "everybody anyone who which what something anything everything nothing there here".split()
)
PREPOSITIONS = frozenset(
    "for over in at with via through by to from on into onto under above below between among across during within "
    "without inside outside against about around after before until till since as per like near off out up down upon "
    "toward towards behind beyond despite except versus vs than using regarding throughout along beside besides".split()
)
SUBORDINATORS = frozenset(
    "because if when whenever while although though unless whereas once that which who whom whose where so but how why "
    "whether since until until after before as".split()
)
CONJUNCTIONS = frozenset("and or but nor plus & then yet".split())
BE = frozenset(
    "is are was were be been being am isn't aren't wasn't weren't isn’t aren’t wasn’t weren’t it's he's she's they're "
    "we're you're i'm it’s he’s she’s they’re we’re you’re i’m gets got get getting 's".split()
)
AUXILIARIES = BE | frozenset(
    "do does did has have had having can could will would shall should may might must cannot don't doesn't didn't "
    "hasn't haven't hadn't can't couldn't won't wouldn't shan't shouldn't mustn't needn't ain't don’t doesn’t didn’t "
    "hasn’t "
    "haven’t hadn’t can’t couldn’t won’t wouldn’t shouldn’t mustn’t i've we've they've you've i'd we'd he'd she'd "
    "they'd i'll we'll you'll he'll she'll they'll it'll i’ve we’ve they’ve i’ll we’ll used".split()
)
NEGATIVES = frozenset(
    "not never cannot don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't mustn't isn't "
    "aren't wasn't weren't don’t doesn’t didn’t hasn’t haven’t hadn’t can’t couldn’t won’t wouldn’t shouldn’t mustn’t "
    "isn’t aren’t wasn’t weren’t neither hardly longer barely".split()
)
ADVERBS = frozenset(
    "also always usually often sometimes rarely currently now still already really just only mainly mostly heavily "
    "strongly directly indirectly internally probably possibly perhaps maybe never not actually simply primarily "
    "entirely fully partly partially completely eventually finally recently now then both all explicitly implicitly "
    "automatically silently suddenly again even further ever generally typically normally frequently "
    "greatly largely solely exclusively officially definitely certainly clearly apparently likely personally instead "
    "once initially originally previously no longer yet almost nearly immediately quickly slowly very much too "
    "successfully correctly quietly permanently temporarily repeatedly constantly occasionally consistently critically "
    "transitively ultimately".split()
)
TIME_WORDS = frozenset(
    "yesterday today tomorrow tonight now instead again anymore soon later earlier ago already either yet ever "
    "everywhere somewhere anywhere here there together alone anyway though please currently lately recently eventually "
    "overnight immediately automatically directly locally".split()
)
CLAUSE_TAKERS = frozenset(
    "think thinks thought believe believes believed know knows knew say says said report reports reported notice "
    "noticed notices find found finds mean means meant confirm confirmed confirms note noted notes remember remembered "
    "guess suspect suspects suspected "
    "hear heard learn learned discover discovered realize realized realise realised assume assumes assumed claim "
    "claims claimed told tell tells decided agreed hope wish see saw show shows showed suggest suggests suggested "
    "explained mentions mentioned mention conclude concluded argue argued insist insisted feel sure glad".split()
)
_REGULAR = (
    "depend rely require need cause trigger result resolve solve fix repair remedy patch correct address mitigate cure "
    "use utilise utilize employ adopt leverage call invoke consume query prefer like love enjoy favor favour hate "
    "dislike avoid skip "
    "ban forbid replace supersede contain include comprise belong generate emit publish produce output create export "
    "yield precede follow own maintain manage supervise oversee host deploy store locate reside live work prevent "
    "block "
    "switch migrate move swap upgrade downgrade convert change rename retire deprecate rewrite start stop crash fail "
    "break run write read lead drive build run make take get give go come see know think find keep hold send receive "
    "return "
    "connect subscribe listen talk communicate integrate delegate fetch load pull push add remove delete update "
    "install restart configure enable disable set test check check release ship launch roll scale handle process serve "
    "expose accept reject validate verify monitor log track record show report grow drop rise fall increase decrease "
    "slow leak hang freeze time lock corrupt expire overflow exhaust saturate happen occur appear disappear improve "
    "reduce raise lower help allow let force keep wait finish complete succeed begin end open close merge commit "
    "review approve plan want try ask answer tell say mean bring buy sell pay visit meet join attend become remain "
    "stay seem look feel "
    "introduce provoke induce spark affect impact degrade kill terminate evict throttle reset revert recover restore "
    "eliminate clear cut wrap embed power back underpin orchestrate schedule cache render parse compile bundle ingest "
    "index "
    "forward route authenticate authorise authorize encrypt sign design develop implement print dump archive collect "
    "stream upload download save persist sit lie stand teach study travel play paint cook watch learn share support "
    "provide offer "
    "contribute participate operate administer curate coordinate head rely adore hinge stem arise originate consist "
    "form constitute fill clog crush choke substitute utilise trip abort timeout bundle vendor rest reuse reference "
    "import extend inherit mount attach bind "
    "refrain steer buy wear trust alleviate ease fuel hurt obsolete delay remove record damage wipe ruin destroy "
    "overload overwhelm disrupt exhaust flood stall halt paralyse paralyze interrupt worsen aggravate prompt force "
    "heal mend rectify settle unblock exploit apply supplant oust succeed "
    "trade exchange port incorporate encompass feature manufacture brew deliver issue craft compile throw join divide "
    "split organise organize possess found shut eat drink touch choke struggle draw "
    "request trust await expect suffer benefit notify alert page escalate inform warn bump pin lock freeze"
).split()
_IRREGULAR = {
    "run": "runs running ran run",
    "write": "writes writing wrote written",
    "read": "reads reading read read",
    "lead": "leads leading led led",
    "drive": "drives driving drove driven",
    "build": "builds building built built",
    "make": "makes making made made",
    "take": "takes taking took taken",
    "get": "gets getting got gotten",
    "give": "gives giving gave given",
    "go": "goes going went gone",
    "come": "comes coming came come",
    "see": "sees seeing saw seen",
    "know": "knows knowing knew known",
    "think": "thinks thinking thought thought",
    "find": "finds finding found found",
    "keep": "keeps keeping kept kept",
    "hold": "holds holding held held",
    "send": "sends sending sent sent",
    "break": "breaks breaking broke broken",
    "rewrite": "rewrites rewriting rewrote rewritten",
    "grow": "grows growing grew grown",
    "rise": "rises rising rose risen",
    "fall": "falls falling fell fallen",
    "hang": "hangs hanging hung hung",
    "freeze": "freezes freezing froze frozen",
    "overflow": "overflows overflowing overflowed overflowed",
    "let": "lets letting let let",
    "begin": "begins beginning began begun",
    "tell": "tells telling told told",
    "say": "says saying said said",
    "mean": "means meaning meant meant",
    "bring": "brings bringing brought brought",
    "buy": "buys buying bought bought",
    "sell": "sells selling sold sold",
    "pay": "pays paying paid paid",
    "meet": "meets meeting met met",
    "become": "becomes becoming became become",
    "feel": "feels feeling felt felt",
    "set": "sets setting set set",
    "cut": "cuts cutting cut cut",
    "reset": "resets resetting reset reset",
    "forbid": "forbids forbidding forbade forbidden",
    "oversee": "oversees overseeing oversaw overseen",
    "sit": "sits sitting sat sat",
    "lie": "lies lying lay lain",
    "stand": "stands standing stood stood",
    "teach": "teaches teaching taught taught",
    "arise": "arises arising arose arisen",
    "rely": "relies relying relied relied",
    "bind": "binds binding bound bound",
    "output": "outputs outputting output output",
    "put": "puts putting put put",
    "wear": "wears wearing wore worn",
    "hurt": "hurts hurting hurt hurt",
    "shut": "shuts shutting shut shut",
    "split": "splits splitting split split",
    "eat": "eats eating ate eaten",
    "drink": "drinks drinking drank drunk",
    "throw": "throws throwing threw thrown",
    "draw": "draws drawing drew drawn",
    "stick": "sticks sticking stuck stuck",
    "have": "has having had had",
    "choose": "chooses choosing chose chosen",
    "spend": "spends spending spent spent",
    "lose": "loses losing lost lost",
    "win": "wins winning won won",
    "speak": "speaks speaking spoke spoken",
}
_DOUBLING = frozenset(
    "stop drop swap ban plan ship skip log cut trip bundle_ wrap pin map clog abort_ prefer refer occur commit permit".split()
)


def forms(lemma: str) -> tuple[str, str, str, str, str]:
    """Return base, third person, -ing, past and past participle of a verb."""
    if lemma in _IRREGULAR:
        third, ing, past, participle = _IRREGULAR[lemma].split()
        return lemma, third, ing, past, participle
    stem = lemma + lemma[-1] if lemma in _DOUBLING else lemma
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma, lemma[:-1] + "ies", lemma + "ing", lemma[:-1] + "ied", lemma[:-1] + "ied"
    third = lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    if lemma.endswith("e"):
        return lemma, third, lemma[:-1] + "ing", lemma + "d", lemma + "d"
    return lemma, third, stem + "ing", stem + "ed", stem + "ed"


VERB_FORMS: dict[str, str] = {}
"""Every known verb form to its lemma."""
PARTICIPLES: set[str] = set()
FINITE: set[str] = set(AUXILIARIES)
"""Forms that can stand as the verb of a clause and rarely are nouns."""
BASES: set[str] = set()
for _lemma in sorted({*_REGULAR, *_IRREGULAR}):
    _base, _third, _ing, _past, _participle = forms(_lemma)
    for _form in (_base, _third, _ing, _past, _participle):
        VERB_FORMS.setdefault(_form, _lemma)
    PARTICIPLES.add(_participle)
    BASES.add(_base)
    FINITE.update({_past, _third})
_NOUNS_TOO = frozenset(
    "result results fix fixes patch patches address addresses cure use uses call calls query queries cause causes need "
    "needs trigger triggers output outputs export exports yield host hosts deploy store stores work works block blocks "
    "switch move "
    "change changes start stop crash crashes fail break breaks run runs lead leads drive drives build builds process "
    "processes log logs track tracks record records show shows report reports drop drops lock locks time times release "
    "releases launch "
    "load loads pull push update updates install test tests check checks review reviews plan plans log leak leaks "
    "reset cut cuts support supports page pages alert alerts stream streams cache caches index upload uploads download "
    "downloads save saves "
    "request requests reference references import imports design designs play plays watch share shares study head "
    "heads form forms power back end ends offer offers spark sparks impact impacts dump dumps archive archives print "
    "prints notes note set sets "
    "return returns help sign signs answer answers ask upgrade upgrades rename bump pin escalates benefits benefit "
    "wait reads writes moves visits meets paints looks feels lives live like likes love loves hate timeout bundle trip "
    "trips route routes kills kill commits commit".split()
)
PLAIN_VERBS = frozenset(form for form in FINITE if form not in _NOUNS_TOO)
"""Verb forms that are hardly ever nouns: they end a noun phrase."""
