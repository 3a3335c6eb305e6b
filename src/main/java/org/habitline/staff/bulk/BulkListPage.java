package org.habitline.staff.bulk;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/** The page that lists the last bulk actions. */
public record BulkListPage(PageFrame frame, List<Row> rows) {

  /** One action; the time is UTC. */
  public record Row(
      String id, String at, String what, String by, String state, int done, int participants) {}
}
