"""What English verbs, nouns and adjectives say about their arguments: the tables behind the dependency patterns.

An entry is `verb[+particle] [preposition|…]`. An empty preposition is the direct object. `<` in front: the object is the
source. `!agent`, `!thing`: what its subject must be.
"""

from functools import cache
from typing import NamedTuple

from hindsight_graph.models.enums import RelationType as R


class Frame(NamedTuple):
    """What a predicate with one kind of complement states.

    Attributes:
        type: The relation. reverse: The complement is its source.
        needs: `agent` when only persons and teams can be its subject, `thing` when persons cannot, `place` when the complement
            must be one.
    """

    type: R
    reverse: bool = False
    needs: str = ""


_ACTIVE: tuple[tuple[R, str], ...] = (
    (
        R.DEPENDS_ON,
        (
            "depend on|upon; rely on|upon; hinge on|upon; require; need !thing; count on|upon; lean on !thing; rest on|upon; "
            "build on|upon; await !thing; presuppose; piggyback on"
        ),
    ),
    (
        R.CAUSES,
        (
            "cause; lead to !thing; result in; trigger !thing; provoke; induce; bring+about; contribute to !thing; "
            "crash !thing; crush !thing; kill !thing; degrade !thing; corrupt !thing; break !thing; spark; take+down !thing; "
            "bring+down !thing; knock+out !thing; knock+over !thing; knock+offline !thing; set+off !thing; overload !thing; "
            "overwhelm !thing; disrupt !thing; exhaust !thing; flood !thing; stall !thing; halt !thing; paralyse !thing; "
            "paralyze !thing; worsen !thing; aggravate; slow !thing; slow+down !thing; shut+down !thing; culminate in; "
            "translate into; fuel !thing; account for !thing; clog !thing; choke !thing; freeze !thing; "
            "ruin !thing; drain !thing; wreck !thing; spoil !thing; stop !thing; hang !thing; jam !thing; "
            "saturate !thing; interrupt !thing; delay !thing; damage !thing; <stem from; <result from; "
            "<arise from; <originate from|in|with; <<come+down to; <boil+down to; <trace+back to; "
            "<spring from; <follow+on from"
        ),
    ),
    (
        R.FIXES,
        (
            "fix; resolve; solve; repair; remedy; patch; correct; cure; mitigate; eliminate; address !thing; rectify; "
            "heal; mend; unblock; alleviate; sort+out; iron+out; clear+up; "
            "stop !trouble; end !trouble; remove !trouble; prevent !trouble; settle !trouble; squash !trouble; cut !trouble; "
            "silence !trouble; calm !trouble; plug !trouble; ease !trouble; bring+back !thing; bring+down "
            "!trouble; clear !trouble"
        ),
    ),
    (
        R.USES,
        (
            "use; hit !thing; scrape !thing; contact !thing; ping !thing; post to !bare; utilise; utilize; "
            "employ; adopt; leverage; talk to|with !thing; speak to !thing; connect to|with !thing; "
            "communicate with !thing; subscribe to; integrate with|to; fetch from; read from; delegate to !thing; consume; "
            "query; invoke; import; reuse; pick !agent; choose !agent; opt for; standardise on; standardize on; settle on; "
            "go with !agent; authenticate with|through|via|against; call !thing; exploit; apply; draw on; pull from; "
            "switch to; migrate to; rely on !agent; listen to !thing; "
            "sync with|to !bare; ingest from; report to !bare; write to !bare; publish to !bare; push to !bare; poll; "
            "hook into; plug into; tap into; "
            "send to !system; forward to !system; ship to !system; stream to !system; back+up to !system; "
            "get from !thing; load from; receive from !thing; collect from; download from; render with; log to !bare; "
            "develop in|with !tool; code in !tool; program in !tool; wrap !thing; embed !thing; run !agent"
        ),
    ),
    (
        R.PREFERS,
        (
            "prefer; recommend !agent; like !agent; love !agent; enjoy !agent; favor !agent; favour !agent; "
            "adore !agent; swear by; "
            "stick with|to !agent; lean towards|toward; value !agent; go for !agent; reach for !agent"
        ),
    ),
    (
        R.AVOIDS,
        (
            "avoid; stand !denied; touch !denied; trust !denied; buy !denied; eat !denied; drink !denied; wear "
            "!denied; want !denied; dislike; hate; skip !agent; ban; forbid; prohibit; abandon; detest; ditch; "
            "shun; reject !agent; distrust; "
            "refrain from; decide against; opt+out of; rule+out !agent; give+up on; swear+off; stay+away from; "
            "keep+away from; shy+away from; back+away from; move+away from; do without; get+away from; "
            "move off; move+off; get off; boycott; blacklist; drop !agent; deprecate !agent; retire !agent; abstain from"
        ),
    ),
    (
        R.REPLACES,
        (
            "replace; supersede; displace; succeed !thing; supplant; oust; obsolete; take+over from; step+in for; "
            "take place of; "
            "take role; deprecate !thing; stand+in for; fill+in for"
        ),
    ),
    (
        R.PART_OF,
        (
            "belong to; fall under|within; make+up; join !agent; "
            "<contain; <include; <comprise; <consist of; <bundle; <embed; <incorporate; <encompass; <feature; "
            "<ship with; <house; live inside !thing"
        ),
    ),
    (
        R.PRODUCES,
        (
            "generate !thing; emit !thing; publish !thing; produce !thing; output !thing; export !thing; yield !thing; "
            "write !thing; create !thing; print !thing; dump !thing; render !thing; spit+out !thing; put+out !thing; "
            "churn+out !thing; turn+out !thing; pump+out !thing; give+off !thing; send+out !thing; "
            "manufacture !thing; brew !thing; issue !thing; craft !thing; make !thing; build !thing; compile !thing; "
            "release !agent; deliver !thing; return !thing; throw !thing; compile into|to; assemble !thing; "
            "email !thing; upload !thing; mint !thing; bake !thing; print+out !thing"
        ),
    ),
    (
        R.PRECEDES,
        (
            "precede; run before|ahead; happen before|ahead; come before|ahead; start before|ahead; go before|ahead; "
            "execute before|ahead; complete before; finish before; occur before; lead into; pass before; "
            "<run after; <happen after; <come after; <start after; <begin after; <occur after; <execute after; "
            "end before; begin before; open before; close before; stop before; boot before; <boot after; <wait for !thing; "
            "<open after; <go after; <kick+off after; <launch after; <fire after; fire before; kick+off before; launch before"
        ),
    ),
    (
        R.OWNS,
        (
            "own; maintain !agent; manage !agent; lead !agent; supervise !agent; oversee !agent; administer !agent; "
            "curate !agent; head !agent; head+up !agent; coordinate !agent; operate !agent; look after; "
            "take+over !agent; possess; handle !agent; "
            "run !team; steward !agent; tend+to !agent; chair !agent"
        ),
    ),
    (
        R.LOCATED_IN,
        (
            "live in|on|at|under !placed; reside in|on|at|under; sit in|on|at|under|inside|behind !placed; run "
            "in|inside|on !placed; "
            "work in|at|from|out !place; stand in|on|at|near !placed; lie in|on|at|near !placed; operate from|out|in !place; "
            "stay in|at !place; study in|at !place; settle in !place; relocate to; move to !place; transfer to !place; "
            "<host !thing; <house; hang in|on !place"
        ),
    ),
)
_PASSIVE: tuple[tuple[R, str], ...] = (
    (
        R.DEPENDS_ON,
        (
            "base on|upon; build on|upon|atop; power by; back by; underpin by; drive by; feed by; "
            "tie to !thing; bind to !thing; layer on; ground in; sustain by; <need for; <require for"
        ),
    ),
    (R.CAUSES, "<attribute to; <blame on; <trace to; <trace+back to; <put+down to; <bring+about by; <introduce by|in"),
    (
        R.FIXES,
        (
            "<fix with|in; <resolve with|in; <solve with; <patch with|in; <address with|in; <cure with; <correct in; "
            "<mitigate with; <sort+out with; <clear+up by"
        ),
    ),
    (
        R.USES,
        (
            "write in !tool; rewrite in !tool; implement in|with; code in; program in; develop in|with|using; "
            "build with|using|in !tool; "
            "integrate with|into; equip with; manage with|through|via !tool; deploy with|via|through !tool; "
            "handle by|with !tool; "
            "provision with|via; orchestrate with|by; monitor with|by|via; test with; render with; draw with; "
            "track in !tool; keep in !tool; make with !tool; process by|with !tool; serve by|from|through !thing; "
            "route through|via; encrypt with; store in !tool; send through|via !thing; fetch from; load from; pull from; "
            "read from; front by"
        ),
    ),
    (
        R.REPLACES,
        (
            "<replace by|with; <swap for; <swap+out for; <exchange for; <trade for; <phase+out for; <retire for; "
            "<drop for; <ditch for; <displace by; <substitute by|with"
        ),
    ),
    (
        R.PART_OF,
        (
            "include in; contain in; embed in|into; bundle with|in|into; build into; ship with|as; fold into; "
            "merge into; <compose of; <comprise of; <make+up of; <split into; <divide into; <break+down into; <break into; "
            "<organise into; <organize into; integrate in; roll into; <form of; fit to; attach to"
        ),
    ),
    (R.PRODUCES, "<emit by; <output by"),
    (R.RELATED_TO, "relate to; connect to|with; link to|with; associate with; correlate with; tie to"),
    (
        R.PRECEDES,
        (
            "<precede by; follow by; run before; deploy before; install before; apply before; merge before; release before; "
            "test before; complete before; do before; perform before; <deploy after; <install after; <run after; "
            "<apply after; <release after; <merge after; <start after; start before; execute before; <execute after; "
            "schedule before; <schedule after; launch before; <launch after; sign before"
        ),
    ),
    (
        R.OWNS,
        (
            "<look after; <take+over by; <staff by; <assign to !owner; <run by !owner; <hand+over to; "
            "<hand to; <entrust to; <care for; <look+after by"
        ),
    ),
    (
        R.LOCATED_IN,
        (
            "host in|on|at|inside|by; deploy to|in|on|into|onto|at; locate in|at|on|under|near|inside; store in|"
            "on|under|at|inside; "
            "base in|at|out; situate in|at|on; find in|at|on|under; keep in|on|under|at|inside; place in|on|at|under; "
            "install in|on|at; mount in|on|at|to|inside; save in|to|under; move to; relocate to; house in|at; park in|at|on; "
            "station in|at; hold in|at !place; put in|on !place; stash in|under; headquarter in|at; set+up in|at; keep+on on; "
            "write to !place; log to !place; archive in|to; copy to; dump to !place; export to !place; upload to !place; "
            "file in|under; expose on !place; transfer to !place; post to !place; rack in|at"
        ),
    ),
)
_NOUNS: tuple[tuple[R, str], ...] = (
    (R.DEPENDS_ON, "<dependency of|for; <prerequisite of|for; <requirement of|for"),
    (
        R.CAUSES,
        (
            "cause of|for|behind; reason for|behind; culprit behind|for|in; trigger for|of|behind; source of; root of; "
            "<consequence of; <result of; <symptom of; <effect of; <outcome of; <fault of; <fallout of|from"
        ),
    ),
    (R.FIXES, "fix for|to; solution for|to; workaround for; remedy for|to; cure for; answer to"),
    (R.PREFERS, "fan of"),
    (R.REPLACES, "successor of|to; replacement of|for; substitute for; alternative to; heir to"),
    (
        R.PART_OF,
        (
            "part of; component of|in; module of|in; piece of; subsystem of; submodule of; plugin of|for; member of|in; "
            "subset of; "
            "division of; section of; feature of; layer of; element of; step of|in; stage of|in; package of|in; subsidiary of; "
            "branch of; unit of; department of; chapter of; extension of|for"
        ),
    ),
    (
        R.OWNS,
        (
            "owner of; maintainer of|for; lead of|for|on; head of; manager of|for; steward of|for; leader of; admin of|for; "
            "administrator of|for; custodian of; caretaker of|for; contact for; person for; boss of; director of; chief of; "
            "<responsibility of; <property of; <job of; <territory of; <baby of"
        ),
    ),
    (R.USES, "user of; consumer of; client of; customer of; subscriber of|to"),
    (R.PRODUCES, "<output of; <product of; producer of; author of; maker of"),
)
_LIGHT: tuple[tuple[R, str], ...] = (
    (R.DEPENDS_ON, "have dependency on; have need of; sit top of; run top of; live top of; build top of"),
    (R.CAUSES, "give rise to"),
    (R.FIXES, "get rid of; put end to; take care of !thing"),
    (
        R.USES,
        (
            "make use of; make call to; send request to; pull datum from; read datum from; take advantage of; get datum from; "
            "fetch datum from; write datum to; make request to"
        ),
    ),
    (R.PREFERS, "have preference for"),
    (R.AVOIDS, "steer clear of; stay clear of; keep clear of; keep hand off"),
    (R.REPLACES, "take place of; take role of; take spot of"),
    (R.PART_OF, "form part of; become part of; remain part of"),
    (R.PRECEDES, "take place before; <take place after"),
    (
        R.OWNS,
        (
            "take care of !agent; take ownership of; have ownership of; take responsibility for; have responsibility for; "
            "take charge of; have charge of; keep eye on !agent; assume responsibility for"
        ),
    ),
)
_ADJECTIVES: tuple[tuple[R, str], ...] = (
    (
        R.DEPENDS_ON,
        (
            "dependent on|upon; reliant on|upon; contingent on|upon; impossible without; useless without; "
            "nothing without; helpless without; dead without; <essential for|to; <vital for|to; <crucial for|to; "
            "<indispensable for|to; <necessary for; <critical for|to; <mandatory for"
        ),
    ),
    (
        R.CAUSES,
        (
            "<due to; <down to; responsible for !trouble; guilty of; <attributable to; <owing to; <symptomatic of; "
            "<traceable to; <because of"
        ),
    ),
    (R.OWNS, "responsible for !agent; accountable for; answerable for"),
    (R.AVOIDS, "allergic to; wary of; sick of; tired of; averse to"),
    (R.PREFERS, "fond of; keen on; partial to; happy with; comfortable with"),
    (R.PART_OF, "native to"),
    (R.RELATED_TO, "related to; connected to|with; linked to|with; associated with; tied to; relevant to|for"),
    (R.LOCATED_IN, "resident in; located in|at|on; local to; present in|on|at; available in|on|at !place; based in|at|out"),
)


@cache
def active_frames() -> dict[tuple[str, str, str], tuple[Frame, ...]]:
    """Return what verbs say of subject and complement, by (lemma, particle, preposition)."""
    return _index(_ACTIVE)


@cache
def passive_frames() -> dict[tuple[str, str, str], tuple[Frame, ...]]:
    """Return what participles say of what they are said of and their complement, by (lemma, particle, preposition)."""
    return _index(_PASSIVE)


@cache
def noun_frames() -> dict[tuple[str, str, str], tuple[Frame, ...]]:
    """Return what "X is the NOUN of Y" says, by (noun, "", preposition)."""
    return _index(_NOUNS)


@cache
def light_frames() -> dict[tuple[str, str, str], tuple[Frame, ...]]:
    """Return what "takes care of", "makes use of" say, by (lemma, noun or adjective, preposition)."""
    index: dict[tuple[str, str, str], list[Frame]] = {}
    for relation, specs in _LIGHT:
        for spec in specs.split("; "):
            words = spec.split()
            needs = words.pop()[1:] if words[-1].startswith("!") else ""
            index.setdefault((words[0].lstrip("<"), words[1], words[2]), []).append(Frame(relation, spec.startswith("<"), needs))
    return {key: tuple(frames) for key, frames in index.items()}


@cache
def adjective_frames() -> dict[tuple[str, str, str], tuple[Frame, ...]]:
    """Return what "X is ADJECTIVE PREPOSITION Y" says, by (adjective, "", preposition)."""
    return _index(_ADJECTIVES)


def _index(tables: tuple[tuple[R, str], ...]) -> dict[tuple[str, str, str], tuple[Frame, ...]]:
    index: dict[tuple[str, str, str], list[Frame]] = {}
    for relation, specs in tables:
        for spec in specs.split("; "):
            words = spec.strip().split()
            needs = words.pop()[1:] if words[-1].startswith("!") else ""
            reverse = words[0].startswith("<")
            verb, _, particle = words[0].lstrip("<").partition("+")
            frame = Frame(relation, reverse, needs)
            complements = words[1].split("|") if len(words) > 1 else [""]
            for complement in complements:
                index.setdefault((verb, particle, complement), []).append(frame)
    return {key: tuple(frames) for key, frames in index.items()}
