/**
 * The publication bundle: what a journal needs of a study's record, as pages, numbers and the
 * queries that they came from. {@link org.habitline.study.report.PublicationBundle} writes it;
 * {@link org.habitline.study.report.FigureCatalogue} lists the queries. It holds counts only: no
 * name, no text and no pseudonym is ever read.
 */
@NullMarked
package org.habitline.study.report;

import org.jspecify.annotations.NullMarked;
