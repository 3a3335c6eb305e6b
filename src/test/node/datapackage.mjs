// Validates an unpacked data package and reads every table, with the types, constraints and foreign keys that it declares.
import datapackage from 'datapackage';

const [file] = process.argv.slice(2);
const study = await datapackage.Package.load(file);
const counts = {};
for (const resource of study.resources) {
  const rows = await resource.read({ keyed: true, relations: true });
  counts[resource.name] = rows.length;
}
console.log(JSON.stringify({ valid: study.valid, errors: study.errors.map(String), counts }));
