package org.habitline.flows;

import org.habitline.Hashes;

/**
 * A prompt as it is sent to a model.
 *
 * @param file the file under {@code prompts/}: the name that the flow gives, after the language and
 *     a slash if it is a translation
 * @param text what the model reads: the file with the flow's texts and times filled in
 * @param sha256 hash of the file's own bytes, in lower-case hexadecimal
 * @param content the file's own text, from which the hash is computed
 * @param builtIn whether the text is the packaged one, because the file is missing
 */
public record Prompt(String file, String text, String sha256, String content, boolean builtIn) {

  /** Returns whether this is the prompt that a flow gives this name, in any language. */
  public boolean isOf(String name) {
    return file.equals(name) || file.endsWith("/" + name);
  }

  /** Returns the hash of {@link #text()} in UTF-8, in lower-case hexadecimal. */
  public String renderedSha256() {
    return Hashes.sha256(text);
  }
}
