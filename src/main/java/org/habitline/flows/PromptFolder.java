package org.habitline.flows;

import java.nio.file.Path;

/**
 * The folder of a flow's own prompt files; it may be missing.
 *
 * @param name where it is, for messages, such as {@code config/flows/habit/prompts}
 */
record PromptFolder(Path path, String name) {

  /** Returns the one in the folder of a flow. */
  static PromptFolder in(Path flow, String name) {
    return new PromptFolder(flow.resolve(PromptFiles.FOLDER), name + "/" + PromptFiles.FOLDER);
  }
}
