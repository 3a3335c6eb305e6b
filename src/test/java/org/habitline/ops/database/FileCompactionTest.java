package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.habitline.RunningLine;
import org.junit.jupiter.api.Test;

final class FileCompactionTest {

  @Test
  void theFileIsCompactedWhileTheLineWorksAndNothingIsLost() {
    try (var line = RunningLine.in(FileCompactionTest.class).start()) {
      var robin = line.greeted();
      var compaction = line.bean(FileCompaction.class);
      for (int i = 0; i < 20; i++) {
        line.answered(robin, "text " + i);
        compaction.compact();
      }
      assertThat(line.turns(robin)).isEqualTo(21);
      assertThat(line.transcript(robin)).hasSize(1 + 2 * 20);
    }
  }

  @Test
  void theStoreOfTheFileIsFound() {
    try (var doors = Doors.open(Map.of())) {
      assertThat(doors.mvStore()).isPresent();
    }
  }
}
