/**
 * Runs turns: from input through context, model and tools to one commit.
 *
 * <p>{@code ConversationFlow} handles the input that the dispatcher found for one participant.
 * {@code TurnClaim} takes the lease and the input; {@code ReplyTurn} or a wake-up of {@code
 * wakeups} decides the reply and returns a {@code turn.Closing}; {@code TurnCommit} commits
 * everything at once. If another node holds the lease by then, nothing is committed.
 *
 * <p>No connection and no lock is held while a model is asked. Nothing is sent here: a message is a
 * row of the outbox. A resumed turn repeats no model call and no tool that its journal has.
 */
@NullMarked
package org.habitline.conversation;

import org.jspecify.annotations.NullMarked;
