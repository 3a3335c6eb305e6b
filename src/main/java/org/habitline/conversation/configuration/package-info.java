/**
 * Which configuration was in force from when to when: the program's version, the files under {@code
 * config} and the prompts, and the settings. Every turn names the version that it began under.
 *
 * <p>{@link ConfigurationVersions} compares what is in force with the newest version when a node
 * starts and after a prompt file was edited, and records a new version if they differ. It costs a
 * turn nothing while nothing changes.
 */
@NullMarked
package org.habitline.conversation.configuration;

import org.jspecify.annotations.NullMarked;
