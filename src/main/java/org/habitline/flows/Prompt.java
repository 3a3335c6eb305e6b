package org.habitline.flows;

import org.apache.commons.codec.digest.DigestUtils;

/**
 * A prompt as it is sent to a model.
 *
 * @param file the name the flow gives it under {@code prompts/}
 * @param text what the model reads: the file with the flow's texts and times filled in
 * @param sha256 hash of the file's own bytes, in lower-case hexadecimal
 * @param content the file's own text, which the hash names
 * @param builtIn whether the text is one shipped inside the program, because the file is missing
 */
public record Prompt(String file, String text, String sha256, String content, boolean builtIn) {

  /** Returns the hash of {@link #text()} in UTF-8, in lower-case hexadecimal. */
  public String renderedSha256() {
    return DigestUtils.sha256Hex(text);
  }
}
