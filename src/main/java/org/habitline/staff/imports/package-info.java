/**
 * Enrolment of many participants from a CSV file, in the background and exactly once.
 *
 * <p>{@code ImportFile} reads the file, {@code ImportDesk} previews each row and stores the list
 * with all its rows, and {@code Imports} enrols one row after another once the list is confirmed.
 * {@code ImportReader} reports the progress.
 *
 * <p>A row is enrolled in one transaction with its result, so that a crash neither repeats nor
 * forgets it. Cells of a row are kept only as long as they are needed: not after its result is
 * final.
 */
@NullMarked
package org.habitline.staff.imports;

import org.jspecify.annotations.NullMarked;
