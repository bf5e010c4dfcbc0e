//! Starts the page, and says which parts of it are loaded when they are needed first.

#[cfg(target_arch = "wasm32")]
#[allow(clippy::unnecessary_wraps)] // loading a part can fail, what is in it cannot
mod parts {
    use lanescope::view::context::ViewContext;
    use lanescope::view::mapping::MappingInput;
    use lanescope::view::{self, Loaded, LocalFuture, Parts};
    use wasm_split_helpers::wasm_split;

    /// The parts: views that are often used together are one.
    pub(crate) const PARTS: Parts = Parts {
        show: |id, context| match id {
            id if id == view::code::VIEW.id => Box::pin(code(context)),
            id if id == view::access::VIEW.id => Box::pin(access(context)),
            id if id == view::schedule::VIEW.id => Box::pin(schedule(context)),
            id if id == view::executions::VIEW.id => Box::pin(executions(context)),
            id if id == view::lifetimes::VIEW.id => Box::pin(lifetimes(context)),
            id if id == view::density::VIEW.id => Box::pin(density(context)),
            id if id == view::plan::VIEW.id => Box::pin(plan(context)),
            id if id == view::details::VIEW.id => Box::pin(details(context)),
            id if id == view::operators::VIEW.id => Box::pin(operators(context)),
            id if id == view::statistics::VIEW.id => Box::pin(statistics(context)),
            id if id == view::tables::VIEW.id => Box::pin(tables(context)),
            _ => Box::pin(report(context)),
        },
        mapping: |input| Box::pin(mapping(input)),
        load: || -> LocalFuture<()> {
            Box::pin(async {
                // One view of each part. What fails is tried again when a view is shown.
                let _ = load_code().await;
                let _ = load_texts().await;
                let _ = load_planes().await;
            })
        },
    };

    #[wasm_split(code, fallible, preload(load_code))]
    fn code(context: ViewContext) -> Loaded {
        Ok(view::code::show(context))
    }

    #[wasm_split(texts, fallible, preload(load_texts))]
    fn details(context: ViewContext) -> Loaded {
        Ok(view::details::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn tables(context: ViewContext) -> Loaded {
        Ok(view::tables::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn operators(context: ViewContext) -> Loaded {
        Ok(view::operators::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn statistics(context: ViewContext) -> Loaded {
        Ok(view::statistics::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn plan(context: ViewContext) -> Loaded {
        Ok(view::plan::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn report(context: ViewContext) -> Loaded {
        Ok(view::report::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn mapping(input: MappingInput) -> Loaded {
        Ok(view::mapping::show(input))
    }

    #[wasm_split(planes, fallible, preload(load_planes))]
    fn schedule(context: ViewContext) -> Loaded {
        Ok(view::schedule::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn executions(context: ViewContext) -> Loaded {
        Ok(view::executions::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn lifetimes(context: ViewContext) -> Loaded {
        Ok(view::lifetimes::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn access(context: ViewContext) -> Loaded {
        Ok(view::access::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn density(context: ViewContext) -> Loaded {
        Ok(view::density::show(context))
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    lanescope::page::start(parts::PARTS);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: cargo xtask serve");
}
