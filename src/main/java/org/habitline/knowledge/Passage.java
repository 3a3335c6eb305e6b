package org.habitline.knowledge;

/**
 * A part of a document that was found.
 *
 * @param source the file's path within the folder, and the place in the file: {@code guide.pdf,
 *     page 3}, {@code benefits.md, Leave > Parental leave}, {@code notes.txt}
 * @param text at most {@value PassageSplitter#LONGEST} characters, as the document has them
 * @param score higher is better; comparable only within the result of one search
 */
public record Passage(String source, String text, double score) {}
