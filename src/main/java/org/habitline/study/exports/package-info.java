/**
 * The study as one data package: what is exported, in which scope, and the files.
 *
 * <p>{@code ExportCatalogue} lists the tables and columns, each with the lowest scope that includes
 * it. {@code DataPackage} writes them from one snapshot, participant after participant, and {@code
 * PartReaders} reads several participants at once. {@code StudyExports} makes one export at a time,
 * keeps the files for some days, and deletes them when a participant is erased. {@code Pseudonyms}
 * gives each participant a random word.
 *
 * <p>Read {@code ExportCatalogue}, {@code DataPackage} and {@code ExportTable} first.
 *
 * <p>What the catalogue does not name is in no export. In the scope {@code deidentified}, no value
 * can name a person, a date or a place. Texts of safety incidents are in no scope.
 */
@NullMarked
package org.habitline.study.exports;

import org.jspecify.annotations.NullMarked;
