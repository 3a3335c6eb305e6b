package org.habitline.conversation.turn;

/**
 * Told of a turn once it is committed, in the process that did so: implementations are quick and
 * never throw. A turn that could not be committed is never told.
 */
public interface TurnListener {

  void closed(ClosedTurn turn);
}
