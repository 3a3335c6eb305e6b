/**
 * The study as a whole: daily figures, monitoring of the plan, exports, coded outcomes, and
 * versions of the configuration.
 *
 * <p>Each desk checks what a page or a route asks for and calls {@code study}; the page controller
 * and the REST controller of one subject share it. {@code FigureTables} turns figures into tables,
 * {@code StudyCharts} draws these as charts, and the CSV downloads are the same tables.
 *
 * <p>Read {@code FiguresDesk}, {@code FigureTables} and {@code StudyExportDesk} first.
 *
 * <p>A figure is computed in {@code study.figures} and nowhere here, so that a page and its CSV
 * file never differ. Staff who code an outcome see what the model's coder sees, and nothing more.
 */
@NullMarked
package org.habitline.staff.study;

import org.jspecify.annotations.NullMarked;
