package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExportFilesTest {

  private static final String ADA = "conv_1";

  @TempDir Path home;

  private ExportFiles files;

  @BeforeEach
  void open() {
    files = new ExportFiles(home);
  }

  private Path published() {
    return home.resolve("exports/conv_1.json");
  }

  /** Puts something where the published file belongs that it cannot replace. */
  private Path block() throws IOException {
    return Files.createDirectories(published().resolve("in the way"));
  }

  private void unblock() throws IOException {
    Files.delete(published().resolve("in the way"));
    Files.delete(published());
  }

  @Test
  void anExportThatIsPreparedLaterLeavesTheEarlierAsItIs() throws IOException {
    var first = files.prepare(ADA, "first");
    var second = files.prepare(ADA, "second");
    assertThat(files.prepare(ADA, "first")).as("the same content again").isEqualTo(first);
    files.publish(ADA, first);
    assertThat(published()).hasContent("first");
    files.publish(ADA, first);
    assertThat(published()).hasContent("first");
    files.publish(ADA, second);
    assertThat(published()).hasContent("second");
  }

  @Test
  void whatWasCutOffIsWrittenAgain() throws IOException {
    var edition = files.prepare(ADA, "the whole form");
    Files.writeString(home.resolve("exports/conv_1." + edition + ".tmp"), "the wh");
    assertThat(files.prepare(ADA, "the whole form")).isEqualTo(edition);
    files.publish(ADA, edition);
    assertThat(published()).hasContent("the whole form");
  }

  @Test
  void aFileThatIsKeptHasTheStoredContent() throws IOException {
    files.keep(ADA, "stored");
    assertThat(published()).hasContent("stored");
    Files.writeString(published(), "overwritten by a process that stood still");
    files.keep(ADA, "stored");
    assertThat(published()).hasContent("stored");
    assertThat(files.conversations()).containsExactly(ADA);
  }

  @Test
  void onlyWhatIsOldIsDiscarded() throws IOException {
    files.prepare(ADA, "of a turn that may be running");
    files.discard(ADA, Instant.now().minusSeconds(60));
    assertThat(files.conversations()).containsExactly(ADA);
    files.discard(ADA, Instant.now().plusSeconds(60));
    assertThat(files.conversations()).isEmpty();
  }

  @Test
  void aFileThatCannotBeRenamedOrDeletedIsToldUntilItCan() throws IOException {
    block();
    files.keep(ADA, "stored");
    assertThat(files.warning())
        .hasValueSatisfying(
            it -> assertThat(it).contains("1 of its files cannot be renamed").doesNotContain(ADA));
    assertThat(files.isErased(ADA)).isFalse();
    files.keep("conv_2", "another");
    assertThat(files.warning()).as("the success of another changes nothing").isPresent();
    unblock();
    assertThat(files.isErased(ADA)).isTrue();
    assertThat(files.warning()).isEmpty();
    assertThat(files.conversations()).containsExactly("conv_2");
  }

  @Test
  void aFolderThatCanBeWrittenAgainIsToldNoLonger() throws IOException {
    var folder = Files.writeString(home.resolve("exports"), "a file where the folder should be");
    assertThatThrownBy(() -> files.prepare(ADA, "content")).isInstanceOf(IOException.class);
    files.lookAgain();
    assertThat(files.warning()).isPresent();
    Files.delete(folder);
    files.lookAgain();
    assertThat(files.warning()).isEmpty();
    assertThat(home.resolve("exports")).isEmptyDirectory();
  }
}
