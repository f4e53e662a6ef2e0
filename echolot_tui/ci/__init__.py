"""What the GitHub action does between its steps: inputs, baseline, outputs, summary, comment."""
