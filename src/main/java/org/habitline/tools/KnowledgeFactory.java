package org.habitline.tools;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Optional;
import org.habitline.flows.FlowFolders;
import org.habitline.llm.Embeddings;

/** Provides the documents of flows, and closes them when Habitline stops. */
@Factory
final class KnowledgeFactory {

  @Singleton
  @Bean(preDestroy = "close")
  KnowledgeBases knowledgeBases(FlowFolders folders, Optional<Embeddings> embeddings, Clock clock) {
    return new KnowledgeBases(folders, embeddings, clock);
  }
}
