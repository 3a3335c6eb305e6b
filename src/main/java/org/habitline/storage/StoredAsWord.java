package org.habitline.storage;

import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.model.DataType;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an enum of a row, of a query's result or of a query's parameter that the database holds as
 * a lower-case word: {@code GIVEN_UP} as {@code given_up}.
 *
 * <p>A query that selects one column alone does not convert it so: let it return a record of one
 * component that is marked.
 *
 * <p>A query's parameter that has the name of a property of the repository's own entity is bound as
 * that property is, whatever stands at the parameter: give it another name if their types differ.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD})
@TypeDef(type = DataType.STRING, converter = EnumWords.class)
public @interface StoredAsWord {

  /**
   * Whether a word that this version does not know is read as {@code null}: right where {@code
   * null} means that nothing is known, wrong for what the line acts on, such as a status.
   */
  boolean orNull() default false;
}
