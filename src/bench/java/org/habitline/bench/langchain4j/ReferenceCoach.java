package org.habitline.bench.langchain4j;

import com.zaxxer.hikari.HikariDataSource;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.UserMessage;
import java.sql.SQLException;

/** A coach that uses AiServices, one tool, and a chat memory in the database. Thread-safe. */
public final class ReferenceCoach implements AutoCloseable {

  /** The number of messages that Habitline's own flow shows to its model. */
  private static final int MESSAGES = 30;

  /** The interface that AiServices implements. */
  interface Coach {
    String answer(@MemoryId String conversation, @UserMessage String text);
  }

  private final HikariDataSource database;
  private final Coach coach;

  private ReferenceCoach(HikariDataSource database, Coach coach) {
    this.database = database;
    this.coach = coach;
  }

  /** Returns a coach that closes the database when it is closed. */
  public static ReferenceCoach with(HikariDataSource database, String modelUrl, String prompt) {
    var memory = new JdbcMemory(database);
    var coach =
        AiServices.builder(Coach.class)
            .chatModel(
                OpenAiChatModel.builder()
                    .baseUrl(modelUrl)
                    .apiKey("sk-a-key-of-the-benchmarks")
                    .modelName("gpt-4.1-mini")
                    .build())
            .systemMessageProvider(conversation -> prompt)
            .chatMemoryProvider(conversation ->
                MessageWindowChatMemory.builder()
                    .id(conversation)
                    .maxMessages(MESSAGES)
                    .chatMemoryStore(memory)
                    .build())
            .tools(new ProfileTool(database))
            .build();
    return new ReferenceCoach(database, coach);
  }

  /** Creates the tables, with a profile for each conversation. */
  public void open(Iterable<String> conversations) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE chat_memory (id varchar(40) PRIMARY KEY, messages varchar(1000000) NOT NULL)");
      statement.execute(
          "CREATE TABLE profile (id varchar(40) PRIMARY KEY, prompt_anchor varchar(200))");
      try (var insert = connection.prepareStatement("INSERT INTO profile (id) VALUES (?)")) {
        for (var conversation : conversations) {
          insert.setString(1, conversation);
          insert.executeUpdate();
        }
      }
    }
  }

  public String answer(String conversation, String text) {
    return coach.answer(conversation, text);
  }

  @Override
  public void close() {
    database.close();
  }
}
