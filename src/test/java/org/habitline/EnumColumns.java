package org.habitline;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Which words the database accepts in columns that hold the word of an enum. */
public final class EnumColumns {

  private static final Pattern WORD = Pattern.compile("'([a-z_]+)'");

  private EnumColumns() {}

  /** Returns the accepted words by {@code table.column}, as the check constraints list them. */
  public static Map<String, Set<String>> of(RunningLine line) {
    var columns = new TreeMap<String, Set<String>>();
    for (var row :
        line.rows(
            "SELECT t.table_name AS checked, c.constraint_name AS name, c.check_clause AS words"
                + " FROM information_schema.check_constraints c"
                + " JOIN information_schema.table_constraints t"
                + " ON t.constraint_schema = c.constraint_schema AND t.constraint_name = c.constraint_name"
                + " WHERE c.constraint_name LIKE '%\\_known' ESCAPE '\\'")) {
      var table = String.valueOf(row.get("checked"));
      var name = String.valueOf(row.get("name"));
      var column = name.substring(table.length() + 1, name.length() - "_known".length());
      var words = new LinkedHashSet<String>();
      WORD.matcher(String.valueOf(row.get("words")))
          .results()
          .forEach(it -> words.add(it.group(1)));
      columns.put(table + "." + column, words);
    }
    return columns;
  }
}
