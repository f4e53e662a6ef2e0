"""echolot.yml, scenarios, paths and the files of a project."""
