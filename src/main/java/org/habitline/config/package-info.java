/**
 * Reading of configuration files: keys and values of YAML with every mistake named ({@link
 * org.habitline.config.Section}, {@link org.habitline.config.Mistakes}), and files packaged with
 * the program. Depends on no other area.
 */
@NullMarked
package org.habitline.config;

import org.jspecify.annotations.NullMarked;
