package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import io.micronaut.inject.qualifiers.Qualifiers;
import java.util.ArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.habitline.FreshHome;
import org.habitline.Patience;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestThreadsTest {

  private static final int REQUESTS = 200;

  @ParameterizedTest
  @ValueSource(strings = {"blocking", "io"})
  void howManyRequestsMayWaitAtOnceDoesNotDependOnTheProcessors(String name) throws Exception {
    try (var context = ApplicationContext.run(FreshHome.properties(RequestThreadsTest.class))) {
      var threads = context.getBean(ExecutorService.class, Qualifiers.byName(name));
      var together = new CyclicBarrier(REQUESTS);
      var requests = new ArrayList<Future<Integer>>();
      for (int i = 0; i < REQUESTS; i++) {
        requests.add(
            threads.submit(() -> together.await(Patience.LONG_MILLIS, TimeUnit.MILLISECONDS)));
      }
      for (var request : requests) {
        assertThat(request.get()).isNotNegative();
      }
    }
  }
}
