"""Working memory: the small state of one running session. What changes it lives in `hindsight_graph.pipelines.working_memory`."""

from pydantic import Field

from hindsight_graph.models.base import Model, Text, UtcDatetime, Words
from hindsight_graph.models.episode import Message, ToolCall

GOAL_LIMIT = 500
"""Characters in a goal at most."""
STEP_LIMIT = 200
"""Characters in a step at most."""
LINE_LIMIT = 200
"""Characters in a key line (constraint, action, result, failure, summary) at most, as in a memory's summary."""
CONTENT_LIMIT = 4_000
"""Characters of one interaction in the window at most, tool calls included; longer ones are clipped here and handed on whole."""
STEPS_KEPT = 50
CONSTRAINTS_KEPT = 30
ENTITIES_KEPT = 24
LINES_KEPT = 24
"""Key actions, results and failures kept, each; the oldest goes first."""
SUMMARY_KEPT = 40
"""Summary lines kept; the oldest goes first."""


class SessionPolicy(Model):
    """How a session's working memory is kept small.

    Attributes:
        window_turns: Interactions that stay verbatim after a compression.
        compress_every: Turns between two compressions at most.
        compress_after_tool: Compress after each tool result too.
    """

    window_turns: int = Field(default=8, ge=1, le=100)
    compress_every: int = Field(default=4, ge=1, le=100)
    compress_after_tool: bool = True


class Interaction(Model):
    """One turn in the window, verbatim unless it was longer than CONTENT_LIMIT.

    Attributes:
        role, name, content, tool_calls, tool_call_id, raw_ref: As in `Message`.
        at: When.
        clipped: The content or an argument was cut; the whole message was handed on when it came in.
    """

    role: Words = "user"
    name: Words | None = None
    content: Text = ""
    at: UtcDatetime
    raw_ref: Words | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: Words | None = None
    clipped: bool = False

    def to_message(self, session_id: str) -> Message:
        """Return it in the form `retain` takes."""
        return Message(
            role=self.role,
            name=self.name,
            content=self.content,
            occurred_at=self.at,
            raw_ref=self.raw_ref,
            session_id=session_id,
            tool_calls=self.tool_calls,
            tool_call_id=self.tool_call_id,
        )


class WorkingMemory(Model):
    """What a session needs in mind: bounded in every part, so that it always fits a prompt.

    Attributes:
        agent_id: Whose session; None when no agent was named.
        goal: What the session is for; empty when not said.
        constraints: Constraints and preferences that were stated, oldest first. Never dropped to save tokens.
        finished_steps, current_step: The plan so far; the current step is empty between steps.
        recent: The last interactions, oldest first: `window_turns` of them, and those since the last compression.
        summary: Older content as lines, oldest first.
        key_entities: Names, the one mentioned last at the end. key_actions, key_results, tool_failures: lines, newest last.
        window_turns, compress_every, compress_after_tool: The policy it was made with (`SessionPolicy`).
        turns: Interactions ever appended. digested: how many of them the summary and the key lines cover.
        version: 0 before the first write, then the stored version.
        reflection_id: The job that looks back on it, once it ended with one.
    """

    session_id: Words
    agent_id: Words | None = None
    goal: Text = ""
    constraints: tuple[Words, ...] = ()
    finished_steps: tuple[Words, ...] = ()
    current_step: Text = ""
    recent: tuple[Interaction, ...] = ()
    summary: tuple[Words, ...] = ()
    key_entities: tuple[Words, ...] = ()
    key_actions: tuple[Words, ...] = ()
    key_results: tuple[Words, ...] = ()
    tool_failures: tuple[Words, ...] = ()
    window_turns: int = Field(default=8, ge=1, le=100)
    compress_every: int = Field(default=4, ge=1, le=100)
    compress_after_tool: bool = True
    turns: int = Field(default=0, ge=0)
    digested: int = Field(default=0, ge=0)
    version: int = Field(default=0, ge=0)
    updated_at: UtcDatetime
    ended_at: UtcDatetime | None = None
    reflection_id: Words | None = None

    @property
    def undigested(self) -> tuple[Interaction, ...]:
        """The interactions that came in since the last compression, oldest first."""
        count = self.turns - self.digested
        return self.recent[-count:] if count > 0 else ()
