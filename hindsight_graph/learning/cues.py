"""What people and agents say around a task: it worked, it failed, that was wrong, I choose this; English and Chinese."""

import re

from hindsight_graph.text.lazy import LazyPattern

__all__ = ["confirms", "corrects", "decides", "gives_up", "rejects", "says_done"]

_CORRECTS = LazyPattern(
    r"^\W*(?:no\b[,.!: ]+(?!problem|worries|thanks|thank)|wrong\b|nope\b|that(?:'s| is| was)? (?:wrong|"
    r"not (?:right|correct|what))|not (?:that|like that|what i)|"
    r"you (?:should(?:n't| not)?(?: have)?|must(?:n't| not)?|forgot|missed|need(?:ed)? to)\b|"
    r"(?:please )?(?:next time|from now on|always|never|don't|do not|stop)\b|instead\b|actually[, ]|i said\b|i meant\b|"
    r"不对|不是(?:这|那)|错了|弄错|搞错|你(?:应该|忘了|漏了|需要先)|下次|以后|别再|不要再|应该先|要先|我说的是|我的意思是)",
    re.IGNORECASE,
)
_CONFIRMS = LazyPattern(
    r"(?:^\W*(?:(?:yes|great|perfect|thanks?|thank you|awesome|nice|good|ok(?:ay)?)\b[\W\w]{0,20}?)?"
    r"(?:that|it|this|everything)?(?:'s| is)? ?(?:work(?:s|ed)|fixed|solved|resolved|correct|what i (?:needed|wanted))\b)|"
    r"^\W*(?:thanks|thank you|perfect|great|well done|good job)\b(?![\W\w]*\b(?:but|however|still|not)\b)|"
    r"(?:解决了|好了|可以了|成功了|没问题了|正是我(?:要|想)的)|^\W*(?:谢谢|太好了|完美|很好|多谢)(?![\W\w]*(?:但|可是|还是|不))",
    re.IGNORECASE,
)
_REJECTS = LazyPattern(
    r"\b(?:(?:did|does|do|is|was|has|have)(?:n't| not) (?:work|help|fix|solve|right|correct)\w*|"
    r"still (?:fail|broken|wrong|not|the same)\w*|"
    r"not (?:working|fixed|solved|resolved)|(?:that|it|this) (?:failed|broke)|made it worse)\b|"
    r"(?:还是(?:不行|失败|报错|不对)|没(?:用|有用|解决|成功)|不行|失败了|更糟)",
    re.IGNORECASE,
)
_GIVES_UP = LazyPattern(
    r"\b(?:i (?:could(?:n't| not)|can(?:'t|not)|was(?:n't| not) able to|am (?:unable|not able) to|failed to)|unable to|"
    r"(?:the )?(?:task|refund|request|deployment|build|attempt|operation) (?:has )?failed|giving up|no luck)\b|"
    r"(?:无法|没能|未能|没有办法|失败了|做不到|放弃)",
    re.IGNORECASE,
)
_DONE = LazyPattern(
    r"\b(?:done|completed?|finished|success(?:ful(?:ly)?)?|succeeded|fixed|resolved|deployed|refunded|is (?:now )?"
    r"(?:up|live|working|green))\b|(?:完成|成功|已(?:经)?(?:退款|部署|修复|处理|解决|发送|更新))",
    re.IGNORECASE,
)
_DECIDES = LazyPattern(
    r"\b(?:i(?:'ll| will| am going to|'m going to| have decided to| decided to| chose to| choose to)|let me|let's|instead,? i|"
    r"decided to|switching to|going with)\b|(?:我(?:决定|选择|改用|先|会先)|改用|决定|选择用|先查|先检查)",
    re.IGNORECASE,
)


def corrects(text: str) -> bool:
    """Whether a user's message puts the course right: "No, check the order first", "以后要先查订单"."""
    return bool(_CORRECTS.search(text))


def confirms(text: str) -> bool:
    """Whether a user's message says that it worked."""
    return not rejects(text) and bool(_CONFIRMS.search(text))


def rejects(text: str) -> bool:
    """Whether a user's message says that it did not work."""
    return bool(_REJECTS.search(text))


def gives_up(text: str) -> bool:
    """Whether an agent's message says that the task failed."""
    return bool(_GIVES_UP.search(text))


def says_done(text: str) -> bool:
    """Whether an agent's message says that the task is done."""
    return not gives_up(text) and bool(_DONE.search(text))


def decides(sentence: str) -> bool:
    """Whether a sentence states a choice."""
    return bool(_DECIDES.search(sentence))
