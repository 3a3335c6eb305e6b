package org.habitline.messaging;

import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Callers that wait at the same time, each behind those before. */
public final class AtOnce<T> {

  private final List<FutureTask<T>> calls = new ArrayList<>();

  /** Calls on a thread of its own and returns once that waits for something. */
  public AtOnce<T> waiting(Callable<T> call) {
    var task = new FutureTask<>(call);
    var thread = Thread.ofPlatform().daemon().start(task);
    await().until(() -> thread.getState() == Thread.State.WAITING);
    calls.add(task);
    return this;
  }

  /** Returns what each call came to, in their order. */
  public List<T> outcomes() throws Exception {
    var outcomes = new ArrayList<T>();
    for (var call : calls) {
      outcomes.add(call.get());
    }
    return outcomes;
  }
}
