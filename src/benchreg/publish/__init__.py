"""What is generated for others: schemas and pages."""
