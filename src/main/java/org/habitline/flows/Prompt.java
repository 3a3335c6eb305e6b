package org.habitline.flows;

/**
 * A prompt as it is sent to a model.
 *
 * @param file its name under {@code prompts/}
 * @param text what the model reads: the file with the flow's texts filled in
 * @param sha256 hash of the file's own bytes, in lower-case hexadecimal
 * @param content the file's own text, which the hash names
 * @param builtIn whether the file was missing and the text shipped inside the program stands in
 */
public record Prompt(String file, String text, String sha256, String content, boolean builtIn) {}
