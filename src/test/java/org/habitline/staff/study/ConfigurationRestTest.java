package org.habitline.staff.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The versions of the configuration over the API and on their page. */
final class ConfigurationRestTest {

  private static final String VERSIONS = "/study/configurations";

  @Test
  void aVersionHasItsFilesAndWhatItChangedAndStaffAloneReadTheTexts(@TempDir Path home)
      throws IOException {
    Files.createDirectories(home.resolve("config"));
    var study = home.resolve("config/study.yaml");
    Files.writeString(study, "contact: {name: Sam, email: sam@example.org}\n");
    try (var line =
        RestLine.start(ConfigurationRestTest.class, Map.of("habitline.home", home.toString()))) {
      Files.writeString(study, "contact: {name: Robin, email: sam@example.org}\n");
      line.restart();
      var all = line.get(VERSIONS).result();
      assertThat(all.findValuesAsText("number")).containsExactly("2", "1");
      assertThat(all.path(1).path("ended_at").asText())
          .isEqualTo(all.path(0).path("began_at").asText());
      assertThat(all.path(0).has("ended_at")).isFalse();
      assertThat(all.path(0).path("reason").asText()).isEqualTo("start");
      var one = line.get(VERSIONS + "/1").result();
      assertThat(one.path("files").findValuesAsText("path")).contains("config/study.yaml");
      assertThat(one.path("settings").path("OPENAI_API_KEY").asText()).isEqualTo("not set");
      var changes = line.get(VERSIONS + "/2/changes").result();
      assertThat(changes.path("files").path(0).path("diff").asText())
          .contains("+contact: {name: Robin");
      assertThat(changes.path("files").path(0).path("change").asText()).isEqualTo("changed");
      var file = line.get(VERSIONS + "/1/file?path=config/study.yaml").result();
      assertThat(file.path("text").asText()).contains("name: Sam");
      assertThat(file.path("file").path("kind").asText()).isEqualTo("study");
      var page = line.get(VERSIONS + "/2/page");
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.response().body()).contains("name: Robin", "version 1</a>");
      var researcher = line.key("Ada", "researcher");
      assertThat(line.sendAs(researcher, "GET", VERSIONS + "/2", "").status()).isEqualTo(200);
      assertThat(line.sendAs(researcher, "GET", VERSIONS + "/2/changes", "").status())
          .isEqualTo(403);
    }
  }
}
