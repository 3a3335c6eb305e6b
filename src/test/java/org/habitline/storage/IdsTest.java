package org.habitline.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class IdsTest {

  @Test
  void orderedIdsSortInTheOrderInWhichTheyWereMade() {
    var ids = Stream.generate(() -> Ids.ordered("msg")).limit(1_000).toList();

    assertThat(ids).isSorted().doesNotHaveDuplicates().allMatch(Ids::isId);
  }

  @Test
  void threadsNeverGetTheSameOrderedId() throws Exception {
    Callable<String> next = () -> Ids.ordered("msg");
    var ids = new ArrayList<String>();
    try (var threads = Executors.newFixedThreadPool(8)) {
      for (var id : threads.invokeAll(IntStream.range(0, 10_000).mapToObj(i -> next).toList())) {
        ids.add(id.get());
      }
    }

    assertThat(ids).doesNotHaveDuplicates();
  }
}
