package org.habitline.storage;

import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.model.DataType;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an enum in a row, a query's result or a query's parameter that the database holds as a
 * lower-case word: {@code GIVEN_UP} as {@code given_up}.
 *
 * <p>A query that selects a single column does not convert it: return a record with one marked
 * component instead.
 *
 * <p>A parameter that has the name of a property of the repository's own entity is bound like that
 * property, whatever its own annotations say: if the types differ, use another name.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD})
@TypeDef(type = DataType.STRING, converter = EnumWords.class)
public @interface StoredAsWord {}
