package org.habitline.llm;

/**
 * Passes a reset on only if the listener has heard text since the last one. Not thread-safe: used
 * by the thread that asks.
 */
final class TakingBack implements TextListener {

  private final TextListener listener;
  private boolean heard;

  TakingBack(TextListener listener) {
    this.listener = listener;
  }

  @Override
  public void text(String piece) {
    heard = true;
    listener.text(piece);
  }

  @Override
  public void reset() {
    if (heard) {
      heard = false;
      listener.reset();
    }
  }
}
