package org.habitline.flows;

import java.nio.file.Path;

/**
 * The folders of flows in the home folder, each named after its flow.
 *
 * @param flows {@code config/flows} in the home folder
 */
public record FlowFolders(Path flows) {

  /** Returns the folder of a flow's documents; it may be missing. */
  public Path knowledge(Flow flow) {
    return flows.resolve(flow.id()).resolve("knowledge");
  }
}
