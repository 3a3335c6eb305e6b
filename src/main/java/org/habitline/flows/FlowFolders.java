package org.habitline.flows;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folders of flows in the home folder, each named after its flow.
 *
 * @param flows {@code config/flows} in the home folder
 */
public record FlowFolders(Path flows) {

  /**
   * Returns the folder of a flow's documents; it may be missing. A flow that is not in the home
   * folder is a packaged one, and has its packaged documents.
   */
  public Path knowledge(Flow flow) {
    var own = flows.resolve(flow.id());
    var documents = own.resolve(Shipped.KNOWLEDGE);
    return Files.exists(own) ? documents : Shipped.knowledge(flow.id()).orElse(documents);
  }
}
