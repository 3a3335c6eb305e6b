package org.habitline.staff.safety;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page that lists incidents.
 *
 * @param unreleased crises first, then the longest open
 * @param released newest first
 */
public record IncidentsPage(
    PageFrame frame, List<IncidentRow> unreleased, List<IncidentRow> released) {}
