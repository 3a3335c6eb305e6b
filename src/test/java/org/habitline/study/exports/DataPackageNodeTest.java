package org.habitline.study.exports;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Map;
import org.habitline.RunningLine;
import org.habitline.whole.NodeTools;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The reference implementation of the standard reads every scope. Needs Node. */
@Tag("node")
final class DataPackageNodeTest {

  @BeforeAll
  static void install() throws IOException, InterruptedException {
    NodeTools.install();
    NodeTools.copy("datapackage.mjs");
  }

  @Test
  void everyScopeIsAValidPackage() throws IOException, InterruptedException {
    try (var line = RunningLine.in(DataPackageNodeTest.class).start()) {
      ExportedStudy.fill(line);
      for (var scope : ExportScope.values()) {
        var study = ExportedStudy.of(line, scope, false);
        var name = "datapackage-" + scope.word();
        var exit =
            NodeTools.run(
                name,
                Map.of(),
                "node",
                "datapackage.mjs",
                study.unpacked().resolve("datapackage.json").toAbsolutePath().toString());
        assertThat(exit).as("see target/node/" + name + ".err.txt").isZero();
        var said = new JsonMapper().readTree(NodeTools.said(name).toFile());
        assertThat(said.path("errors")).isEmpty();
        assertThat(said.path("valid").asBoolean()).isTrue();
        assertThat(said.at("/counts/messages").asInt()).isEqualTo(study.table("messages").size());
        assertThat(said.path("counts").size()).isEqualTo(ExportCatalogue.tables(scope).size());
      }
    }
  }
}
