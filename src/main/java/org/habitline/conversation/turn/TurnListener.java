package org.habitline.conversation.turn;

/**
 * Is notified of each turn once it is committed, in the process that committed it. Implementations
 * are quick and never throw. Turns that could not be committed are not reported.
 */
public interface TurnListener {

  void closed(ClosedTurn turn);
}
