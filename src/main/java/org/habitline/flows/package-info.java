/**
 * Flows: their modules, prompt files, texts and languages, read and checked at startup. Uses {@code
 * config} only.
 *
 * <p>{@code FlowFiles} finds the folders, {@code FlowReader} reads a {@code flow.yaml}, and {@code
 * LanguageReader} reads it once more for each language. The result is a {@code Flow}, which never
 * changes. {@code FlowCatalog} holds all flows of the installation and reads the prompt files when
 * they are needed.
 *
 * <p>Read {@code Flow}, {@code FlowCatalog} and {@code FlowReader} first. {@code docs/flows.md}
 * lists every key with its bounds.
 *
 * <p>A key or a value that is not known is never ignored: it is a mistake with the file, the key,
 * the line and what was expected, and {@code BrokenFlow} stops the startup with all mistakes at
 * once. Only the rehearsal's script names a module: what differs between flows is a key of the
 * file.
 */
@NullMarked
package org.habitline.flows;

import org.jspecify.annotations.NullMarked;
