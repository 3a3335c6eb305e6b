package org.habitline.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Callers that send at the same time; each sends its next request as soon as the last one is
 * answered.
 */
final class Crowd implements AutoCloseable {

  private final List<Caller> callers;
  private final ExecutorService threads;

  private Crowd(List<Caller> callers) {
    this.callers = callers;
    this.threads = Executors.newFixedThreadPool(callers.size());
  }

  static Crowd of(int size, int port) throws IOException {
    var callers = new ArrayList<Caller>();
    for (int i = 0; i < size; i++) {
      callers.add(Caller.to(port));
    }
    return new Crowd(callers);
  }

  /** Sends every request once and returns how many were answered per second. */
  double perSecond(List<Post> requests, int expected) throws Exception {
    var ready = requests.stream().map(Post::bytes).toList();
    var next = new AtomicInteger();
    var work =
        callers.stream()
            .<Callable<Boolean>>map(caller ->
                () -> {
                  for (int i = next.getAndIncrement();
                      i < ready.size();
                      i = next.getAndIncrement()) {
                    send(caller, ready.get(i), expected);
                  }
                  return true;
                })
            .toList();
    var began = System.nanoTime();
    for (var done : threads.invokeAll(work)) {
      done.get();
    }
    return requests.size() * 1e9 / (System.nanoTime() - began);
  }

  /** Sends one request and waits for its answer. */
  void send(Post request, int expected) throws IOException {
    send(callers.getFirst(), request.bytes(), expected);
  }

  private static void send(Caller caller, byte[] request, int expected) throws IOException {
    var status = caller.send(request);
    if (status != expected) {
      throw new IllegalStateException("A text was answered with status " + status);
    }
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    for (var caller : callers) {
      caller.close();
    }
  }
}
