package org.habitline.bench.bare;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.util.concurrent.CountDownLatch;

/** The reference for starts: a Micronaut program that serves nothing. */
public final class BareProgram {

  private BareProgram() {}

  /** Starts as Habitline does and prints its address. */
  public static void main(String[] args) throws InterruptedException {
    var context = ApplicationContext.builder(args).mainClass(BareProgram.class).build();
    Runtime.getRuntime().addShutdownHook(new Thread(context::stop));
    context.start();
    var server = context.getBean(EmbeddedServer.class).start();
    System.out.println("Nothing is up at http://127.0.0.1:" + server.getPort());
    System.out.flush();
    new CountDownLatch(1).await();
  }
}
