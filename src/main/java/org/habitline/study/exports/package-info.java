/** The study as one data package: what is exported, in which scope, and the files. */
@NullMarked
package org.habitline.study.exports;

import org.jspecify.annotations.NullMarked;
