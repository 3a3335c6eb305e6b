package org.habitline.staff.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.List;
import org.habitline.staff.web.ApiProblem;
import org.junit.jupiter.api.Test;

/** Files that are no list of people are refused before much is done with them. */
final class ImportFileTest {

  private static final String HEADER = "phone_number,name\n";

  /** The accepted columns, which count how often they are compared. */
  private static final class Compared extends AbstractList<String> {
    private int times;

    @Override
    public String get(int index) {
      times++;
      return ImportFile.COLUMNS.get(index);
    }

    @Override
    public int size() {
      return ImportFile.COLUMNS.size();
    }
  }

  private static void refused(String csv, String sentence) {
    var file = csv.getBytes(StandardCharsets.UTF_8);
    var accepted = new Compared();
    assertThatThrownBy(() -> ImportFile.read(file, accepted))
        .isInstanceOf(ApiProblem.class)
        .hasMessage(sentence);
    assertThatThrownBy(() -> ImportFile.open(file, accepted))
        .isInstanceOf(ApiProblem.class)
        .hasMessage(sentence);
    assertThat(accepted.times).isLessThan(1_000);
  }

  @Test
  void aHeaderOfAMillionCommasIsRefusedBeforeItsColumnsAreCompared() {
    refused(
        ",".repeat(1_000_000) + "\n+15005550006\n",
        "The first row has more than 111 columns; remove those that are not needed.");
  }

  @Test
  void aLongNameOfAColumnIsRefusedBeforeItIsRead() {
    refused(
        "phone_number," + "1".repeat(1_000_000) + "\n+15005550006,Ada\n",
        "The name of column 2 is longer than 1,000 characters; shorten it.");
  }

  @Test
  void aRowWithFarMoreCellsThanColumnsIsRefused() {
    refused(
        HEADER + "+15005550006,Ada\n\n+15005550007" + ",x".repeat(1_000_000) + "\n",
        "Row 4 has more than 111 cells; remove those that are not needed.");
  }

  @Test
  void aRowWithALongCellIsRefused() {
    refused(
        HEADER + "+15005550006," + "x".repeat(1_000_000) + "\n",
        "Column 2 of row 2 has more than 10,000 characters; shorten it.");
  }

  @Test
  void blankCellsBehindTheLastColumnDoNotCount() {
    var csv = HEADER + "+15005550006,Ada" + ",".repeat(16_000) + "\n";
    var rows = ImportFile.read(csv.getBytes(StandardCharsets.UTF_8), ImportFile.COLUMNS);
    assertThat(rows.getFirst().overfull()).isFalse();
    assertThat(List.copyOf(rows.getFirst().cells().values()))
        .containsExactly("+15005550006", "Ada");
  }
}
