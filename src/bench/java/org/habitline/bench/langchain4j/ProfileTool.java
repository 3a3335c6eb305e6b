package org.habitline.bench.langchain4j;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agent.tool.ToolMemoryId;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The only tool of the coach, which saves its argument with one SQL statement. */
final class ProfileTool {

  private final DataSource database;

  ProfileTool(DataSource database) {
    this.database = database;
  }

  @Tool(name = "save_user_profile", value = "Saves what the participant has just told.")
  String save(
      @ToolMemoryId String conversation,
      @P("The everyday moment that anchors the habit, in their words.") String prompt_anchor) {
    try (var connection = database.getConnection();
        var update =
            connection.prepareStatement("UPDATE profile SET prompt_anchor = ? WHERE id = ?")) {
      update.setString(1, prompt_anchor);
      update.setString(2, conversation);
      if (update.executeUpdate() != 1) {
        throw new IllegalStateException("There is no profile of " + conversation);
      }
      return "saved";
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
