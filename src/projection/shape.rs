//! The tools of a far side, whatever format they came in.

use std::fmt;

use crate::json::{Pointer, Value};

/// The format that tools were found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Shape {
    /// MCP: `{name, inputSchema}`.
    Mcp,
    /// OpenAI chat completions: `{type: "function", function: {name, parameters}}`.
    OpenAiChat,
    /// OpenAI responses: `{type: "function", name, parameters}`.
    OpenAiResponses,
    /// Anthropic: `{name, input_schema}`.
    Anthropic,
    /// Gemini: `{functionDeclarations: [{name, parameters}]}`, or `parametersJsonSchema`.
    Gemini,
    /// Bedrock Converse: `{toolSpec: {name, inputSchema: {json}}}`.
    Bedrock,
    /// A plain list: `{name, description, parameters}`.
    Plain,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 7] = [
        Shape::Mcp,
        Shape::OpenAiChat,
        Shape::OpenAiResponses,
        Shape::Anthropic,
        Shape::Gemini,
        Shape::Bedrock,
        Shape::Plain,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Mcp => "MCP",
            Shape::OpenAiChat => "OpenAI chat completions",
            Shape::OpenAiResponses => "OpenAI responses",
            Shape::Anthropic => "Anthropic",
            Shape::Gemini => "Gemini",
            Shape::Bedrock => "Bedrock Converse",
            Shape::Plain => "plain list",
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One tool of a far side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarTool {
    /// Its name there.
    pub name: String,
    /// Its description there.
    pub description: Option<String>,
    /// Its parameters as JSON Schema: an object that takes anything where the format leaves them
    /// out.
    pub schema: Value,
    /// The format that it came in.
    pub shape: Shape,
    /// Its place in the file.
    pub at: Pointer,
}

/// The tools of one far side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Projection {
    /// The tools, in the order found.
    pub tools: Vec<FarTool>,
    /// Tools of the provider or host itself, which are not compared: type or name, made visible.
    pub builtin: Vec<String>,
}

impl Projection {
    /// The formats that the tools came in, without repetition.
    pub fn shapes(&self) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = self.tools.iter().map(|tool| tool.shape).collect();
        shapes.sort_unstable();
        shapes.dedup();
        shapes
    }
}
