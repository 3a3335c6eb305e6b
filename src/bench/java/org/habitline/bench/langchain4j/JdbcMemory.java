package org.habitline.bench.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A chat memory that stores each conversation as one row with its messages as JSON. */
final class JdbcMemory implements ChatMemoryStore {

  private final DataSource database;

  JdbcMemory(DataSource database) {
    this.database = database;
  }

  @Override
  public List<ChatMessage> getMessages(Object memoryId) {
    try (var connection = database.getConnection();
        var select = connection.prepareStatement("SELECT messages FROM chat_memory WHERE id = ?")) {
      select.setString(1, memoryId.toString());
      try (var row = select.executeQuery()) {
        return row.next() ? ChatMessageDeserializer.messagesFromJson(row.getString(1)) : List.of();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void updateMessages(Object memoryId, List<ChatMessage> messages) {
    var json = ChatMessageSerializer.messagesToJson(messages);
    if (write("UPDATE chat_memory SET messages = ? WHERE id = ?", json, memoryId) == 0) {
      write("INSERT INTO chat_memory (messages, id) VALUES (?, ?)", json, memoryId);
    }
  }

  private int write(String sql, String json, Object memoryId) {
    try (var connection = database.getConnection();
        var statement = connection.prepareStatement(sql)) {
      statement.setString(1, json);
      statement.setString(2, memoryId.toString());
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void deleteMessages(Object memoryId) {
    throw new UnsupportedOperationException("Conversations of a benchmark are not deleted.");
  }
}
