package org.habitline;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.ApplicationContextBuilder;
import io.micronaut.context.RuntimeBeanDefinition;
import java.util.List;
import java.util.Map;

/**
 * A bean of a test that takes the place of the program's own or listens to the making of others,
 * which a plain singleton cannot.
 */
public interface TestBean {

  List<RuntimeBeanDefinition<?>> definitions();

  /** The program with these settings and these beans of a test. */
  static ApplicationContextBuilder program(Map<String, Object> properties, List<Object> beans) {
    var program = ApplicationContext.builder().properties(properties);
    for (var bean : beans) {
      if (bean instanceof TestBean test) {
        program.beanDefinitions(test.definitions().toArray(RuntimeBeanDefinition[]::new));
      } else {
        program.singletons(bean);
      }
    }
    return program;
  }
}
