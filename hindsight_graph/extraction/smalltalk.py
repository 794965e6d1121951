"""What is not worth remembering: greetings, confirmations, chatter, and questions that state nothing. In doubt, keep."""

import re

from hindsight_graph.text.lazy import LazyPattern

GREETING, CONFIRMATION, SMALL_TALK, QUESTION, TOO_SHORT = "greeting", "confirmation", "small talk", "question", "too short"

_NAME = r"(?:\s*,?\s*(?:there|all|everyone|everybody|team|guys|folks|buddy|man|girl|dear|friend|sir|mate|bro|(?-i:[A-Z][a-z]+)))?"
_GREETINGS = (
    r"(?:hi+|hello+|hey+|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|night|day)|morning|welcome(?: "
    r"back)?|(?:good )?bye+|goodbye|"
    r"see (?:you|ya)(?: (?:soon|later|then|tomorrow|around))?|talk to you (?:soon|later)|take care|have a (?:good|nice|"
    r"great|lovely) (?:day|one|time|evening|weekend|night)|"
    r"(?:it'?s )?(?:so )?(?:good|great|nice) to (?:see|hear from|meet|talk to|chat with) you(?: (?:too|again))?|long "
    r"time no see|catch (?:you|ya) later|"
    r"nice (?:chatting|talking)(?: (?:with|to) you)?|cheers)"
)
_THANKS = (
    r"(?:(?:many |ok(?:ay)?,? )?thanks?(?: (?:you|a lot|so much|very much|a ton|a bunch|again|for (?:asking|sharing|"
    r"your help|the help|that|everything|the update|the info|letting me know)))*|"
    r"thank you(?: (?:so|very) much)?(?: for (?:asking|sharing|your help|the help|that|everything|listening))?|thx|ty|"
    r"tysm|much appreciated|i (?:really )?appreciate (?:it|that)|"
    r"you'?re (?:very |most |so )?welcome|no problem|no worries|np|my pleasure|any ?time|don'?t mention it)"
)
_CONFIRMATIONS = (
    r"(?:ok+(?:ay)?|k|kk|yes+|yeah+|yep|yup|ya|yea|no+|nope|nah|sure(?: thing)?|of course|absolutely|definitely|"
    r"exactly|totally|for sure|right|alright|all right|"
    r"got it|gotcha|understood|i (?:see|understand|agree|got it)|makes sense|(?:that )?sounds (?:good|great|fine|like "
    r"a plan|perfect|awesome)(?: to me)?|will do|"
    r"perfect|fine|agreed|correct|true|deal|done|roger|copy that|noted|same here|me too|(?:that'?s )?(?:fair|right|"
    r"true|correct|fine|ok(?:ay)?)(?: enough)?|lgtm|"
    r"go ahead|please (?:do|continue|go on|proceed)|continue|go on|proceed|let'?s (?:go|do it|do this))"
)
_CHATTER = (
    r"(?:(?:a?ha)+h?|(?:he){2,}|lo+l|lmao|rofl|wow+|whoa|woah|oh+(?: (?:my|wow|no|nice|cool|really|man|boy))?(?: "
    r"(?:god|gosh|goodness))?|omg|ah+|aw+|hm+|mhm|um+|uh+|huh|oops|yay+|woo+(?:hoo)?|"
    r"yum+|ugh|phew|meh|well|so|anyway|(?:so |very |really |pretty |super |how )?(?:cool|nice|great|awesome|amazing|"
    r"wonderful|fantastic|lovely|good|excellent|brilliant|sweet|neat|beautiful|interesting|funny|exciting|"
    r"impressive)(?: (?:one|job|work|stuff|idea|thing))?|"
    r"(?:that|this|it)(?:'s| is| sounds| looks)(?: so| really| very| pretty| just| super| absolutely| such)?(?: an?)? "
    r"(?:cool|nice|great|awesome|amazing|wonderful|fantastic|lovely|good|excellent|brilliant|sweet|neat|beautiful|"
    r"interesting|funny|fun|exciting|impressive|incredible|inspiring|hilarious)(?: (?:to hear|one|idea|news))?|"
    r"(?:great|good|nice|well) (?:job|work|done|going|point|question)|good for you|good luck|congrat(?:s|ulations)(?: "
    r"on that)?|(?:so |really )?(?:happy|glad|proud|sorry) (?:for you|of you|to hear (?:that|it))|"
    r"i'?m (?:so |really |very )?(?:happy|glad|proud|sorry) (?:for you|of you|to hear (?:that|it))|i (?:can'?t|cannot) "
    r"wait|can'?t wait|no way|really|seriously|indeed|hmm+|let me (?:see|think|check)|one (?:sec|second|moment)|hold "
    r"on|just a (?:sec|second|moment)|"
    r"keep (?:it up|up the good work)|you (?:got|can do) (?:this|it)|love (?:it|that|this)|same|bless you|please|sorry|"
    r"excuse me|my bad|whatever|never ?mind|nvm|test(?:ing)?)"
)
_TAIL = _NAME + r"[\s!.,~?…]*"
_KINDS = (
    (GREETING, _GREETINGS),
    (CONFIRMATION, _CONFIRMATIONS),
    (SMALL_TALK, rf"(?:{_THANKS}|{_CHATTER})"),
)
_ENGLISH = [(reason, LazyPattern(rf"{body}{_TAIL}", re.IGNORECASE)) for reason, body in _KINDS]

_ZH_GREETING = (
    r"(?:你好|您好|大家好|各位好|嗨|哈喽|哈啰|喂|早(?:上好|安)?|上午好|中午好|下午好|晚上好|晚安|再见|拜拜|回头见|明天见|"
    r"下次见|在吗|在不在|好久不见|辛苦了?|大家辛苦了|周末愉快|节日快乐|新年快乐)"
)
_ZH_CONFIRM = (
    r"(?:好(?:的|呀|啊|吧|嘞|滴|哒|了)?|嗯+|恩+|哦+|噢|喔|行(?:吧|的|啊)?|可以(?:的|了)?|没问题|收到|明白(?:了)?|"
    r"了解(?:了)?|知道了?|懂了|是的|是啊|对(?:的|啊|呀)?|没错|当然(?:可以)?|"
    r"同意|确实|完全同意|就这样(?:吧)?|继续(?:吧)?|请继续|那就这样|不用(?:了)?|不是|没有|没事(?:了)?|okk?|OKK?|搞定了?)"
)
_ZH_CHATTER = (
    r"(?:哈+|呵+|嘿+|嘻+|哇+|啊+|呃+|额+|唉+|哎(?:呀|哟)?|天啊|天哪|太(?:好|棒|赞|厉害|酷)了(?:吧)?|真(?:好|棒|不错|"
    r"厉害|的吗?|有意思)|不错(?:不错)?|厉害(?:了)?|牛(?:逼|啊)?|赞+|棒(?:棒的)?|加油|恭喜(?:恭喜)?|"
    r"谢+(?:你|您|啦|了|大家|各位)?|多谢(?:了)?|非常感谢|感谢(?:你|您|大家|分享|帮助|支持)*|谢谢(?:你|您)的?(?:帮助|"
    r"分享|支持|回复)|不客气|不用谢|没关系|抱歉|对不起|不好意思|稍等(?:一下)?|等一下|等等|请稍等|让我(?:想想|看看)|"
    r"我看看|"
    r"随便|呜+|嘿嘿|666+|233+|麻烦(?:你|您)?了|辛苦(?:你|您|大家)?了)"
)
_ZH_TAIL = r"[呀啊哈哦啦呢嘛吧了~～!！。.,，…\s]*"
_CHINESE = [
    (GREETING, LazyPattern(_ZH_GREETING + _ZH_TAIL)),
    (CONFIRMATION, LazyPattern(_ZH_CONFIRM + _ZH_TAIL)),
    (SMALL_TALK, LazyPattern(_ZH_CHATTER + _ZH_TAIL)),
]
_DECORATION = LazyPattern(r"[^\w\s'’,，.。!！?？~～…、;；&+-]+")
_CHINESE_CHARACTER = LazyPattern("[\u4e00-\u9fff]")
_SEPARATOR = LazyPattern(r"[\s,，.。!！~～…、;；&+-]+")
_OPENING = LazyPattern(
    rf"(?:(?:{_GREETINGS}|{_THANKS}|ok(?:ay)?|sure|got it|great|awesome){_NAME}|@\w+)\s*[,!.;:–—-]+\s*|"
    rf"(?:{_ZH_GREETING}|{_ZH_CHATTER}|好的|好吧|收到|嗯+)[呀啊哈啦~～]*[,，!！。、\s]+",
    re.IGNORECASE,
)
_SHORT = 120
"""A longer sentence is never small talk as a whole."""

_WH = r"(?:who|whom|whose|what|when|where|why|how|which)"
_AUX = (
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn['’]?t|"
    r"aren['’]?t|wasn['’]?t|weren['’]?t|don['’]?t|doesn['’]?t|didn['’]?t|"
    r"haven['’]?t|hasn['’]?t|can['’]?t|couldn['’]?t|won['’]?t|wouldn['’]?t|shouldn['’]?t|ain['’]?t)"
)
_LEAD = (
    r"(?:(?:so|and|but|or|also|hey|hi|hello|oh|ok|okay|well|wow|hmm+|btw|by the way|anyway|cool|nice|great|thanks|yes|yeah|"
    r"no|please|by chance|then|just wondering|quick question|in that case|(?-i:[A-Z][a-z]+))\s*[,!.:–—-]*\s+){0,4}"
)
_ASKS = LazyPattern(
    rf"\W*{_LEAD}(?:{_WH}(?:['’](?:s|re|d|ll|ve))?\b|{_AUX}\b|any(?:thing|one|body)?\b|got any\b|ready\b|you ok\b|mind "
    rf"if\b|care to\b|up for\b|(?:you )?remember\b|have you\b|how\b|what about\b|in what\b|to what\b|for what\b|at "
    rf"what\b|which\b)",
    re.IGNORECASE,
)
_WH_START = LazyPattern(
    rf"\W*{_LEAD}{_WH}(?:['’](?:s|re|d|ll|ve))?\s+(?:{_AUX}|many|much|long|often|far|about|come|to|kind|type|version|"
    rf"port|time|else)\b",
    re.IGNORECASE,
)
_CLAUSE = LazyPattern(r"\s*[,;:–—]+\s*|\s+-+\s+|\s+(?:but|and|so)\s+", re.IGNORECASE)
_STATING = LazyPattern(
    r"(?:i|we|he|she|they|it|my|our|his|her|the|this|there|you)\b(?:['’](?:m|ve|re|s|d|ll))?(?:\s+\S+){2,}", re.IGNORECASE
)
_ZH_ASKS = LazyPattern(
    r"[吗么呢]\s*[?？]*$|什么|怎么|怎样|如何|为何|为什么|哪[里儿个些位种一]|谁|多少|几[个点号次台时]|是否|是不是|"
    r"有没有|能不能|可不可以|要不要|会不会|对不对|行不行|好不好|请问|多久|多长|多大"
)
_ZH_CLAUSE = LazyPattern(r"[,，;；:：]")


_REQUEST = LazyPattern(
    rf"\W*{_LEAD}(?:(?:can|could|would) (?:you|we|everyone|everybody|somebody)\b|will you please\b|would you mind\b|"
    r"is it possible (?:to|that)\b)"
    r"(?!\s+(?:ever|even)\b).*\b(?:always|never|from now on|in (?:the )?future|going forward|henceforth|every time|each time|"
    r"whenever|anymore|any more|any longer|no longer|stop \w+ing|avoid|make sure (?:that )?(?:no|nobody|nothing|not|every|all)|"
    r"(?:please )?(?:do not|don['’]?t|not) \w+)\b",
    re.IGNORECASE,
)
_REQUEST_GATE = LazyPattern(r"[Cc]an |ould |[Ww]ill you|s it possible|[能可]|麻烦")
_ASKS_WHAT = LazyPattern(rf"\b{_WH}\b", re.IGNORECASE)
_ZH_REQUEST = LazyPattern(
    r"^\W*(?:请问|那|麻烦|拜托|以后|今后)?(?:你|您|你们|大家|我们|以后|今后)*(?:能不能|能否|可不可以|可否|可以|是否可以|能|麻烦|"
    r"是不是可以)(?:你|您|请|都)*.*"
    r"(?:以后|今后|从今|从现在起|往后|始终|总是|一直|每次|永远|务必|再也|不要再|别再|不再|一律|都不要|都别|不要|别(?!人|的|处))"
)


def is_standing_request(text: str) -> bool:
    """Whether a sentence has the form of a question and states a constraint: "Could you please always answer in German?"."""
    if _REQUEST_GATE.search(text) is None:
        return False
    if _CHINESE_CHARACTER.search(text):
        return _ZH_REQUEST.match(text) is not None and re.search("什么|怎么|怎样|如何|谁|多少|哪", text) is None
    match = _REQUEST.match(text)
    return match is not None and _ASKS_WHAT.search(text[: match.end()]) is None


def opening_of(text: str) -> int:
    """Return the length of the greeting, thanks or confirmation that `text` opens with, or 0; never the whole text."""
    match = _OPENING.match(text)
    if match is None:
        return 0
    rest = text[match.end() :]
    return match.end() if len(rest) >= 8 or len(re.findall(r"[^\x00-\x7f]", rest)) >= 4 else 0


def drop_reason(text: str) -> str | None:
    """Return why a sentence is not worth keeping, or None when it states something."""
    body = text.strip()
    if not any(character.isalnum() for character in body):
        return SMALL_TALK
    if len(body) <= _SHORT:
        reason = _small_talk(body)
        if reason is not None:
            return reason
    if is_question(body):
        return None if _states_beside(body) else QUESTION
    if len(body) <= 2 and body.isascii():
        return TOO_SHORT
    return None


def _small_talk(body: str) -> str | None:
    """The reason of the first part when every part of the sentence is small talk."""
    bare = _DECORATION.sub("", body)
    first: str | None = None
    at = 0
    bare = bare.strip(" ,，.。!！~～…、;；&+-")
    if not bare:
        return SMALL_TALK
    while at < len(bare):
        for reason, pattern in (*_ENGLISH, *_CHINESE):
            match = pattern.match(bare, at)
            if match and match.end() > at and (match.end() == len(bare) or _stops(bare, match.end())):
                first = first or reason
                at = match.end()
                break
        else:
            return None
        separator = _SEPARATOR.match(bare, at)
        at = separator.end() if separator else at
    return first


def _stops(text: str, at: int) -> bool:
    return not text[at].isalnum() or not text[at - 1].isalnum() or not (text[at].isascii() and text[at - 1].isascii())


def is_question(text: str) -> bool:
    """Whether a sentence asks: an interrogative with a question mark, or one that plainly opens as a question."""
    if is_standing_request(text):
        return False
    body = text.rstrip(" \t\"'”’)）")
    marked = body.endswith(("?", "？"))
    if _CHINESE_CHARACTER.search(body, max(0, len(body) - 40)):
        if marked:
            return True
        return bool(re.search(r"[吗么]$", body)) or (body.startswith("请问") and bool(_ZH_ASKS.search(body)))
    if marked:
        return True
    return len(body) < _SHORT and not body.endswith((".", "!")) and bool(_WH_START.match(body))


def _states_beside(body: str) -> bool:
    """Whether a question also states: "I moved to Bonn, can you believe it?", or a statement with a question mark on it."""
    if _CHINESE_CHARACTER.search(body):
        clauses = [clause.strip(" ?？。") for clause in _ZH_CLAUSE.split(body)]
        plain = [
            clause
            for clause in clauses
            if len(clause) >= 4 and not _ZH_ASKS.search(clause) and drop_reason_zh_part(clause) is None
        ]
        return len(clauses) > 1 and bool(plain)
    clauses = [clause for clause in _CLAUSE.split(body) if clause.strip(" ?!.")]
    for clause in clauses:
        words = clause.split()
        if (
            len(words) >= 3
            and not _ASKS.match(clause)
            and _STATING.match(clause.strip())
            and _small_talk(clause.strip(" ?!.,")) is None
        ):
            return True
    return False


def drop_reason_zh_part(clause: str) -> str | None:
    """Return the small-talk reason of one Chinese clause, or None."""
    return _small_talk(clause)
